package dev.sandboxer.cli.client;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.sandboxer.cli.Failure;
import dev.sandboxer.dataplane.http.HttpClients;
import dev.sandboxer.dataplane.http.Replies;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.channels.ClosedChannelException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * JSON calls to the platform. Blocks; an interrupt of the calling thread ends the call with {@link
 * InterruptedException}.
 */
public final class Api {
  /** Longer than any wait that most calls ask for. */
  private static final Duration LIMIT = Duration.ofSeconds(90);

  private final HttpClient http;
  private final ObjectMapper json;
  private final Endpoint endpoint;
  private final Duration limit;

  private Api(HttpClient http, ObjectMapper json, Endpoint endpoint, Duration limit) {
    this.http = http;
    this.json = json;
    this.endpoint = endpoint;
    this.limit = limit;
  }

  /** Calls {@code endpoint} through the client that fits its address. */
  public static Api of(HttpClients clients, ObjectMapper json, Endpoint endpoint) {
    return new Api(clients.of(endpoint.base()), json, endpoint, LIMIT);
  }

  /**
   * The same platform, called with a longer limit.
   *
   * @param wait how long the platform may wait before it answers
   */
  public Api waiting(Duration wait) {
    return new Api(http, json, endpoint, LIMIT.plus(wait));
  }

  /** GET of a path such as {@code /v1/sandboxes/sb_...}. */
  public JsonNode get(String path) throws InterruptedException {
    return call("GET", path, null, Map.of()).body();
  }

  /** DELETE of a path; the reply's body, or a missing node when it has none. */
  public JsonNode delete(String path) throws InterruptedException {
    return call("DELETE", path, null, Map.of()).body();
  }

  /** POST of {@code body} with further headers. */
  public Reply post(String path, JsonNode body, Map<String, String> headers)
      throws InterruptedException {
    return call("POST", path, body, headers);
  }

  /**
   * One call.
   *
   * @param body sent as JSON unless null
   * @throws ApiFailure for every status of 400 and above
   * @throws Failure when the platform cannot be reached or answers no JSON
   */
  public Reply call(
      String method, String path, @Nullable JsonNode body, Map<String, String> headers)
      throws InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(endpoint.base() + path))
            .timeout(limit)
            .header("Accept", "application/json")
            .header("Authorization", "Bearer " + endpoint.key());
    headers.forEach(request::header);
    if (body != null) {
      request.header("Content-Type", "application/json");
    }
    request.method(
        method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body.toString()));
    return read(send(request.build(), Replies.text()));
  }

  /** POST of a file's bytes. */
  public JsonNode upload(String path, Path file) throws InterruptedException {
    try {
      HttpRequest.Builder request =
          HttpRequest.newBuilder(URI.create(endpoint.base() + path))
              .timeout(limit)
              .header("Accept", "application/json")
              .header("Authorization", "Bearer " + endpoint.key())
              .header("Content-Type", "application/octet-stream")
              .POST(BodyPublishers.ofFile(file));
      return read(send(request.build(), Replies.text())).body();
    } catch (FileNotFoundException e) {
      throw Failure.usage(file + " cannot be read: " + e.getMessage());
    }
  }

  /**
   * GET of Server-Sent Events.
   *
   * @param lastId where to go on after, empty for what comes from now on
   * @return the open reply, to be closed by the caller
   * @throws ApiFailure for every status of 400 and above
   * @throws Unreachable when the platform cannot be reached
   */
  public InputStream stream(String path, String lastId) throws InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(endpoint.base() + path))
            .header("Accept", "text/event-stream")
            .header("Authorization", "Bearer " + endpoint.key());
    if (!lastId.isEmpty()) {
      request.header("Last-Event-ID", lastId);
    }
    HttpResponse<InputStream> response = send(request.build(), BodyHandlers.ofInputStream());
    if (response.statusCode() >= 400) {
      throw failure(response, parse(text(response.body())));
    }
    return response.body();
  }

  private String text(InputStream body) {
    try (body) {
      return new String(body.readNBytes(Replies.MOST_BYTES), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new Unreachable("the call to " + endpoint + " failed: " + reason(e), e);
    }
  }

  /** Where this client calls. */
  public Endpoint endpoint() {
    return endpoint;
  }

  private <T> HttpResponse<T> send(HttpRequest request, BodyHandler<T> body)
      throws InterruptedException {
    try {
      return http.send(request, body);
    } catch (ConnectException | ClosedChannelException e) {
      throw new Unreachable(
          "no platform answers at "
              + endpoint
              + ": start one with ./sandboxer up, or set SANDBOXER_URL",
          e);
    } catch (IOException e) {
      throw new Unreachable("the call to " + endpoint + " failed: " + reason(e), e);
    } catch (IllegalArgumentException e) {
      throw Failure.usage("the API key is not one: it has characters that no header may have");
    }
  }

  private Reply read(HttpResponse<String> response) {
    JsonNode body = parse(response.body());
    if (response.statusCode() >= 400) {
      throw failure(response, body);
    }
    if (body == null) {
      throw Failure.sandboxer(endpoint + " answers no JSON: is it a Sandboxer platform?");
    }
    return new Reply(response.statusCode(), body);
  }

  private ApiFailure failure(HttpResponse<?> response, @Nullable JsonNode body) {
    return ApiFailure.of(
        response.statusCode(),
        body,
        response.headers().firstValue("X-Request-Id").orElse(null),
        endpoint);
  }

  private @Nullable JsonNode parse(String text) {
    try {
      return text.isBlank() ? JsonNodeFactory.instance.missingNode() : json.readTree(text);
    } catch (JsonProcessingException e) {
      return null;
    }
  }

  private static String reason(IOException e) {
    return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
  }

  /** A reply below 400. */
  public record Reply(int status, JsonNode body) {}

  /**
   * The platform could not be reached, or the connection broke: whether the call took effect is not
   * known.
   */
  public static final class Unreachable extends Failure {
    private static final long serialVersionUID = 1L;

    Unreachable(String message, Throwable cause) {
      super(dev.sandboxer.cli.ExitCode.SANDBOXER, message, cause);
    }
  }
}
