package dev.sandboxer.cli.dataplane;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.cli.client.HttpClients;
import dev.sandboxer.cli.client.Replies;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** JSON calls to a sandbox's dataplane. Not for use by several threads. */
public final class DataplaneCalls {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final int FIRST_ERROR = 300;

  private final HttpClients http;
  private final ObjectMapper json;
  private final Dataplane dataplane;

  public DataplaneCalls(HttpClients http, ObjectMapper json, Dataplane dataplane) {
    this.http = http;
    this.json = json;
    this.dataplane = dataplane;
  }

  /** GET of a route such as {@code /processes}. */
  public JsonNode get(String route) throws InterruptedException {
    return call("GET", route, null);
  }

  /** POST of {@code body}. */
  public JsonNode post(String route, JsonNode body) throws InterruptedException {
    return call("POST", route, body);
  }

  /** DELETE of a route. */
  public JsonNode delete(String route) throws InterruptedException {
    return call("DELETE", route, null);
  }

  /**
   * One call.
   *
   * @throws CallRefused for a status of 300 and above
   * @throws ConnectionLost when there was no answer
   */
  private JsonNode call(String method, String route, @Nullable JsonNode body)
      throws InterruptedException {
    Dataplane.Access access = dataplane.access();
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(access.http() + route))
            .timeout(LIMIT)
            .header("Authorization", "Bearer " + access.token());
    if (body == null) {
      request.method(method, BodyPublishers.noBody());
    } else {
      request
          .header("Content-Type", "application/json")
          .method(method, BodyPublishers.ofString(body.toString()));
    }
    try {
      HttpResponse<String> response = http.of(access.http()).send(request.build(), Replies.text());
      JsonNode answer = parse(response.body());
      if (response.statusCode() >= FIRST_ERROR) {
        throw CallRefused.of(response.statusCode(), answer, access);
      }
      return answer;
    } catch (IOException e) {
      throw new ConnectionLost("the connection to the sandbox was lost: " + e.getMessage(), e);
    }
  }

  private JsonNode parse(String text) {
    try {
      return text.isBlank() ? json.missingNode() : json.readTree(text);
    } catch (JsonProcessingException e) {
      return json.missingNode();
    }
  }
}
