package dev.sandboxer.platform.dataplane;

import dev.sandboxer.platform.dataplane.wire.ReplyHead;
import io.vertx.core.http.HttpServerResponse;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;

/**
 * Replies of an application on an origin of its own: its headers pass, but for those that reach
 * beyond that origin. What we add keeps other origins from embedding it.
 *
 * @param inside the origin that the application believes to have
 */
record PortReplyHeaders(String inside) implements ReplyRule {

  private static final Set<String> DROPPED =
      Set.of(
          "connection",
          "keep-alive",
          "proxy-connection",
          "proxy-authenticate",
          "te",
          "trailer",
          "transfer-encoding",
          "upgrade",
          "content-length",
          "x-request-id",
          "alt-svc",
          "clear-site-data",
          "strict-transport-security",
          "public-key-pins",
          "expect-ct",
          "nel",
          "report-to",
          "reporting-endpoints",
          "x-frame-options",
          "cross-origin-resource-policy",
          "origin-agent-cluster",
          "sandboxer-offset",
          "sandboxer-gap");

  @Override
  public void check(ReplyHead head) {
    // An application may answer as it likes.
  }

  @Override
  public void write(ReplyHead head, HttpServerResponse response) {
    Set<String> hops = hops(head);
    for (ReplyHead.Header header : head.headers()) {
      String name = header.name();
      if (name.equals("set-cookie")) {
        String cookie = PortCookie.narrowed(header.value());
        if (!cookie.isEmpty()) {
          response.headers().add(name, cookie);
        }
      } else if (name.equals("location")) {
        response.headers().add(name, here(header.value()));
      } else if (!DROPPED.contains(name) && !hops.contains(name)) {
        response.headers().add(name, header.value());
      }
    }
    guard(response);
  }

  /** A redirect to itself stays on the origin that the browser knows. */
  private String here(String location) {
    return location.startsWith(inside + "/") ? location.substring(inside.length()) : location;
  }

  static void guard(HttpServerResponse response) {
    response.putHeader("X-Frame-Options", "SAMEORIGIN");
    response.putHeader("Cross-Origin-Resource-Policy", "same-origin");
    response.putHeader("Origin-Agent-Cluster", "?1");
  }

  private static Set<String> hops(ReplyHead head) {
    Set<String> names = new HashSet<>();
    for (ReplyHead.Header header : head.headers()) {
      if (header.name().equals("connection")) {
        Arrays.stream(header.value().split(",", -1))
            .map(name -> name.strip().toLowerCase(Locale.ROOT))
            .forEach(names::add);
      }
    }
    return names;
  }
}
