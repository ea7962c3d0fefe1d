package dev.sandboxer.platform.dataplane;

import dev.sandboxer.platform.dataplane.wire.ReplyHead;
import dev.sandboxer.platform.dataplane.wire.RequestHead;
import dev.sandboxer.platform.dataplane.wire.WireException;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A client's wish for a WebSocket, and whether boxd's answer fits it. No extension is ever offered:
 * compression of a hostile peer's data is not ours to bear.
 *
 * @param key of the handshake
 * @param protocols offered, in order
 */
record Upgrade(String key, List<String> protocols) {

  private static final String GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
  private static final int KEY_BYTES = 16;
  private static final String OWN_PROTOCOLS = "sandboxer.v1.";

  /** Reads the wish; empty if the request is no well-formed WebSocket handshake. */
  static Optional<Upgrade> of(HttpServerRequest request) {
    String key = request.getHeader("Sec-WebSocket-Key");
    boolean asked =
        "websocket".equalsIgnoreCase(request.getHeader(HttpHeaders.UPGRADE))
            && lists(request.getHeader(HttpHeaders.CONNECTION), "upgrade")
            && "13".equals(request.getHeader("Sec-WebSocket-Version"))
            && !RequestHeaders.hasBody(request);
    if (!asked || key == null || !sixteenBytes(key)) {
      return Optional.empty();
    }
    List<String> offered = split(request.getHeader("Sec-WebSocket-Protocol"));
    return Optional.of(new Upgrade(key, offered.stream().filter(Upgrade::passed).toList()));
  }

  void ask(RequestHead head) throws WireException {
    head.upgrade().header("Sec-WebSocket-Key", key);
    if (!protocols.isEmpty()) {
      head.header("Sec-WebSocket-Protocol", String.join(", ", protocols));
    }
  }

  /** Checks a 101. */
  void check(ReplyHead head) throws WireException {
    String protocol = head.first("sec-websocket-protocol");
    if (!"websocket".equalsIgnoreCase(head.first("upgrade"))
        || !lists(head.first("connection"), "upgrade")
        || !accept().equals(head.first("sec-websocket-accept"))) {
      throw new WireException("a WebSocket handshake that does not fit the question");
    }
    if (head.first("sec-websocket-extensions") != null
        || (protocol != null && !protocols.contains(protocol))) {
      throw new WireException("a WebSocket extension or protocol that was not offered");
    }
  }

  void answer(ReplyHead head, HttpServerResponse response) {
    response
        .setStatusCode(101)
        .putHeader(HttpHeaders.UPGRADE, "websocket")
        .putHeader(HttpHeaders.CONNECTION, "Upgrade")
        .putHeader("Sec-WebSocket-Accept", accept());
    String protocol = head.first("sec-websocket-protocol");
    if (protocol != null) {
      response.putHeader("Sec-WebSocket-Protocol", protocol);
    }
  }

  private String accept() {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-1")
              .digest((key + GUID).getBytes(StandardCharsets.ISO_8859_1));
      return Base64.getEncoder().encodeToString(hash);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("this JDK has no SHA-1", e);
    }
  }

  /** Only the dataplane's own: browsers put credentials into this header as well. */
  private static boolean passed(String protocol) {
    return protocol.startsWith(OWN_PROTOCOLS);
  }

  private static boolean sixteenBytes(String key) {
    try {
      return Base64.getDecoder().decode(key).length == KEY_BYTES;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private static boolean lists(@Nullable String header, String word) {
    return split(header).stream().anyMatch(word::equalsIgnoreCase);
  }

  private static List<String> split(@Nullable String header) {
    return header == null
        ? List.of()
        : Arrays.stream(header.split(",", -1))
            .map(String::strip)
            .filter(part -> !part.isEmpty())
            .toList();
  }
}
