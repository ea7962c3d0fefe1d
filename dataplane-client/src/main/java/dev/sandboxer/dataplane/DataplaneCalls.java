package dev.sandboxer.dataplane;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.dataplane.http.Replies;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * HTTP calls to a sandbox's dataplane, for routes that have no class of their own. A route is a
 * path below the grant's address, such as {@code /metrics}, with what follows it encoded by the
 * caller. Safe for use by several threads.
 */
public final class DataplaneCalls {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final int FIRST_ERROR = 300;
  private static final int LONGEST_REFUSAL = 256 * 1024;

  private final Dataplane dataplane;

  /** Calls of one sandbox. */
  public DataplaneCalls(Dataplane dataplane) {
    this.dataplane = dataplane;
  }

  /**
   * GET of a route; at most 60 seconds.
   *
   * @return the body; a missing node where it is not JSON
   * @throws CallRefused for a status of 300 and above
   * @throws ConnectionLost when there was no answer
   */
  public JsonNode get(String route) throws InterruptedException {
    return send(request(route).timeout(LIMIT).GET().build());
  }

  /** POST of a body as JSON; otherwise as {@link #get}. */
  public JsonNode post(String route, JsonNode body) throws InterruptedException {
    return send(
        request(route)
            .timeout(LIMIT)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(body.toString()))
            .build());
  }

  /** DELETE of a route; otherwise as {@link #get}. */
  public JsonNode delete(String route) throws InterruptedException {
    return send(request(route).timeout(LIMIT).DELETE().build());
  }

  /** A request of a route with its token, to be completed by the caller. */
  public HttpRequest.Builder request(String route) throws InterruptedException {
    Grant grant = dataplane.grant();
    return HttpRequest.newBuilder(URI.create(grant.http() + route))
        .header("Authorization", "Bearer " + grant.token());
  }

  /**
   * Sends a request and reads its answer, of at most 32 MiB.
   *
   * @return the body; a missing node where it is not JSON
   * @throws CallRefused for a status of 300 and above
   * @throws ConnectionLost when there was no answer
   */
  public JsonNode send(HttpRequest request) throws InterruptedException {
    try {
      HttpResponse<String> response =
          dataplane.connections().http().of(request.uri()).send(request, Replies.text());
      return checked(request, response.statusCode(), response.body());
    } catch (IOException e) {
      throw lost(e);
    }
  }

  /**
   * Sends a request and hands its answer over as it comes.
   *
   * @return the body, to be closed by the caller; a connection that breaks is an IOException there
   * @throws CallRefused for a status of 300 and above
   * @throws ConnectionLost when there was no answer
   */
  public InputStream open(HttpRequest request) throws InterruptedException {
    try {
      HttpResponse<InputStream> response =
          dataplane
              .connections()
              .http()
              .of(request.uri())
              .send(request, BodyHandlers.ofInputStream());
      if (response.statusCode() >= FIRST_ERROR) {
        try (InputStream body = response.body()) {
          var _ =
              checked(
                  request,
                  response.statusCode(),
                  new String(body.readNBytes(LONGEST_REFUSAL), StandardCharsets.UTF_8));
        }
      }
      return response.body();
    } catch (IOException e) {
      throw lost(e);
    }
  }

  private JsonNode checked(HttpRequest request, int status, String text) {
    JsonNode body = parse(text);
    if (status >= FIRST_ERROR) {
      throw CallRefused.of(status, body, request.uri());
    }
    return body;
  }

  private JsonNode parse(String text) {
    var json = dataplane.connections().json();
    try {
      return text.isBlank() ? json.missingNode() : json.readTree(text);
    } catch (JsonProcessingException e) {
      return json.missingNode();
    }
  }

  private static ConnectionLost lost(IOException e) {
    return new ConnectionLost("the connection to the sandbox was lost: " + e.getMessage(), e);
  }
}
