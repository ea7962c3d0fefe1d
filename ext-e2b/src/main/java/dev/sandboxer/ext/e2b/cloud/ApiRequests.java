package dev.sandboxer.ext.e2b.cloud;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.ExtensionException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.util.Map;

/** Requests to the API with the account's key. Each gives an answer, whatever it says. */
final class ApiRequests {

  /** The server gives up a create after 70 s. */
  private static final Duration CREATE = Duration.ofSeconds(75);

  private static final Duration SHORT = Duration.ofSeconds(30);

  private final Wire wire;

  ApiRequests(Wire wire) {
    this.wire = wire;
  }

  Answer get(Account account, String path, Call call) throws ExtensionException {
    return ask(account, "GET", path, BodyPublishers.noBody(), Map.of(), SHORT, call);
  }

  Answer delete(Account account, String path, Call call) throws ExtensionException {
    return ask(account, "DELETE", path, BodyPublishers.noBody(), Map.of(), SHORT, call);
  }

  Answer post(Account account, String path, JsonNode body, Call call) throws ExtensionException {
    return ask(account, "POST", path, text(body), Map.of(), SHORT, call);
  }

  Answer create(Account account, String path, JsonNode body, String key, Call call)
      throws ExtensionException {
    return ask(account, "POST", path, text(body), Map.of("Idempotency-Key", key), CREATE, call);
  }

  private static BodyPublisher text(JsonNode body) {
    return BodyPublishers.ofString(body.toString());
  }

  private Answer ask(
      Account account,
      String method,
      String path,
      BodyPublisher body,
      Map<String, String> headers,
      Duration most,
      Call call)
      throws ExtensionException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(account.api() + path))
            .method(method, body)
            .header("Content-Type", "application/json")
            .header("User-Agent", "sandboxer")
            .header("X-API-KEY", account.key());
    headers.forEach(request::header);
    try {
      return Answer.of(wire.send(account, request, Wire.bytes(), most, call));
    } catch (UnansweredException e) {
      throw Failures.unanswered(account, method + " " + path.replaceFirst("\\?.*", ""), e);
    }
  }
}
