package dev.sandboxer.platform.dataplane;

import dev.sandboxer.platform.dataplane.wire.RequestHead;
import dev.sandboxer.platform.dataplane.wire.WireException;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * What of a browser's request reaches an application on a port: what pages and their scripts need,
 * the application's own cookies and X- headers; no credential of ours, nothing that says who stood
 * in between.
 */
final class PortRequestHeaders {

  private static final Set<String> PASSED =
      Set.of(
          "accept",
          "accept-encoding",
          "accept-language",
          "content-type",
          "content-encoding",
          "content-language",
          "cache-control",
          "pragma",
          "range",
          "if-range",
          "if-match",
          "if-none-match",
          "if-modified-since",
          "if-unmodified-since",
          "last-event-id",
          "priority",
          "purpose",
          "user-agent",
          "upgrade-insecure-requests",
          "next-action",
          "hx-request",
          "rsc");

  private static final Set<String> REFUSED =
      Set.of("x-api-key", "x-request-id", "x-real-ip", "x-client-ip", "x-original-url");

  private PortRequestHeaders() {}

  /**
   * Passes what may pass. The application sees itself under the name that boxd calls it by, so that
   * its own checks of Origin and Referer against Host hold; the relay has checked the real ones.
   *
   * @param origin of the port for browsers
   * @param inside the origin that the application believes to have
   */
  static void pass(
      HttpServerRequest request, PortCookie cookie, String origin, String inside, RequestHead head)
      throws WireException {
    for (Map.Entry<String, String> header : request.headers()) {
      String name = header.getKey().toLowerCase(Locale.ROOT);
      if (passed(name)) {
        head.clientHeader(name, header.getValue());
      }
    }
    if (request.headers().contains(HttpHeaders.ORIGIN)) {
      head.header("Origin", inside);
    }
    String referer = request.getHeader(HttpHeaders.REFERER);
    if (referer != null && referer.startsWith(origin + "/")) {
      head.header("Referer", inside + referer.substring(origin.length()));
    }
    if (!cookie.others().isEmpty()) {
      head.header("Cookie", cookie.others());
    }
  }

  private static boolean passed(String name) {
    if (PASSED.contains(name) || name.startsWith("sec-fetch-") || name.startsWith("sec-ch-")) {
      return true;
    }
    return name.startsWith("x-") && !name.startsWith("x-forwarded") && !REFUSED.contains(name);
  }
}
