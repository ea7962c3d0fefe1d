package dev.sandboxer.platform.dataplane;

import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** How a caller of the dataplane shows who it is. */
sealed interface Credential {

  /** A token in the Authorization header; null if what stands there is none. */
  record Bearer(@Nullable String token) implements Credential {}

  /** A ticket among the WebSocket's subprotocols. */
  record Ticket(String value) implements Credential {}

  /** A token that is to come as the WebSocket's first frame. */
  record FirstFrame() implements Credential {}

  /**
   * Finds the one credential of a request.
   *
   * @param upgrade to a WebSocket with frames of our own; other requests have the header alone
   */
  static Credential of(HttpServerRequest request, Optional<Upgrade> upgrade) {
    List<String> headers = request.headers().getAll(HttpHeaders.AUTHORIZATION);
    if (!headers.isEmpty() || upgrade.isEmpty() || !upgrade.get().frames()) {
      return new Bearer(headers.size() == 1 ? bearer(headers.getFirst()) : null);
    }
    List<String> tickets = upgrade.get().tickets();
    return switch (tickets.size()) {
      case 0 -> new FirstFrame();
      case 1 -> new Ticket(tickets.getFirst());
      default -> new Bearer(null);
    };
  }

  private static @Nullable String bearer(String value) {
    String scheme = "Bearer ";
    return value.regionMatches(true, 0, scheme, 0, scheme.length())
        ? value.substring(scheme.length())
        : null;
  }
}
