package dev.sandboxer.platform.dataplane;

import dev.sandboxer.platform.dataplane.wire.ReplyHead;
import dev.sandboxer.platform.dataplane.wire.WireException;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import java.util.LinkedHashMap;
import java.util.Map;

/** The headers of replies under {@code /dp/}: few from boxd, some of our own on every reply. */
final class ReplyHeaders {

  private static final Map<String, CharSequence> PASSED =
      names(
          "content-type",
          "content-range",
          "content-disposition",
          "accept-ranges",
          "etag",
          "last-modified",
          "retry-after",
          "mcp-session-id",
          "sandboxer-offset",
          "sandboxer-gap");

  private static final Map<CharSequence, CharSequence> OWN =
      Map.of(
          HttpHeaders.createOptimized("X-Content-Type-Options"),
          HttpHeaders.createOptimized("nosniff"),
          HttpHeaders.createOptimized("Content-Security-Policy"),
          HttpHeaders.createOptimized("sandbox; default-src 'none'"),
          HttpHeaders.createOptimized("Cross-Origin-Resource-Policy"),
          HttpHeaders.createOptimized("same-origin"),
          HttpHeaders.createOptimized("Cache-Control"),
          HttpHeaders.createOptimized("no-store"));

  private static final int NOT_MODIFIED = 304;
  private static final int UNAUTHORIZED = 401;

  /** Replies of boxd itself: it redirects nowhere, and takes the relay's token. */
  static final ReplyRule BOXD = new Rule(true);

  /** Replies of whatever listens on a port: any status, but no more headers than others. */
  static final ReplyRule PORT = new Rule(false);

  private ReplyHeaders() {}

  private record Rule(boolean boxd) implements ReplyRule {

    @Override
    public void check(ReplyHead head) throws WireException {
      int status = head.status();
      if (boxd && status >= 300 && status < 400 && status != NOT_MODIFIED) {
        throw new WireException("a redirect");
      }
      if (boxd && status == UNAUTHORIZED) {
        throw new WireException("a refusal of the relay's token");
      }
    }

    @Override
    public void write(ReplyHead head, HttpServerResponse response) {
      secure(response);
      pass(head, response);
    }
  }

  static void secure(HttpServerResponse response) {
    OWN.forEach(response::putHeader);
  }

  /** The first of each allowed header; what boxd repeats is dropped. */
  static void pass(ReplyHead head, HttpServerResponse response) {
    for (ReplyHead.Header header : head.headers()) {
      CharSequence name = PASSED.get(header.name());
      if (name != null && !response.headers().contains(name)) {
        response.putHeader(name, header.value());
      }
    }
  }

  private static Map<String, CharSequence> names(String... names) {
    Map<String, CharSequence> optimized = new LinkedHashMap<>();
    for (String name : names) {
      optimized.put(name, HttpHeaders.createOptimized(name));
    }
    return Map.copyOf(optimized);
  }
}
