package dev.sandboxer.platform.dataplane;

import dev.sandboxer.platform.dataplane.wire.RequestHead;
import dev.sandboxer.platform.dataplane.wire.WireException;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import java.util.List;
import java.util.Map;

/**
 * What of a client's request reaches boxd: no credential, no cookie, nothing about who asked or
 * from where, nothing that asks for compression.
 */
final class RequestHeaders {

  private static final List<String> PASSED =
      List.of(
          "Accept",
          "Content-Type",
          "Range",
          "If-Range",
          "If-Match",
          "If-None-Match",
          "If-Modified-Since",
          "If-Unmodified-Since",
          "Last-Event-ID",
          "Mcp-Session-Id",
          "Mcp-Protocol-Version");

  private static final Map<String, CharSequence> OPTIMIZED =
      PASSED.stream()
          .collect(
              java.util.stream.Collectors.toUnmodifiableMap(
                  name -> name, HttpHeaders::createOptimized));

  private RequestHeaders() {}

  static void pass(HttpServerRequest request, RequestHead head) throws WireException {
    MultiMap headers = request.headers();
    for (String name : PASSED) {
      String value = headers.get(OPTIMIZED.get(name));
      if (value != null) {
        head.header(name, value);
      }
    }
  }

  static void frame(HttpServerRequest request, RequestHead head) {
    String length = request.getHeader(HttpHeaders.CONTENT_LENGTH);
    if (request.headers().contains(HttpHeaders.TRANSFER_ENCODING)) {
      head.chunked();
    } else if (length != null) {
      head.length(Long.parseLong(length));
    } else if (!"GET".equals(request.method().name()) && !"HEAD".equals(request.method().name())) {
      head.length(0);
    }
  }
}
