package dev.sandboxer.platform.egress;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.List;

/** Headers that belong to one connection and are not passed on (RFC 9110, 7.6.1). */
final class HopByHop {

  private static final List<String> ALWAYS =
      List.of(
          "connection",
          "keep-alive",
          "proxy-authenticate",
          "proxy-authorization",
          "proxy-connection",
          "te",
          "upgrade");

  private HopByHop() {}

  /** Removes them, and those that the sender names; not those that frame the message. */
  static void remove(HttpHeaders headers) {
    for (String options : headers.getAll(HttpHeaderNames.CONNECTION)) {
      for (String option : options.split(",", -1)) {
        if (!option.isBlank() && !framing(option.strip())) {
          headers.remove(option.strip());
        }
      }
    }
    ALWAYS.forEach(headers::remove);
  }

  private static boolean framing(String name) {
    return HttpHeaderNames.CONTENT_LENGTH.contentEqualsIgnoreCase(name)
        || HttpHeaderNames.TRANSFER_ENCODING.contentEqualsIgnoreCase(name)
        || HttpHeaderNames.HOST.contentEqualsIgnoreCase(name);
  }
}
