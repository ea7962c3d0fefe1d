package dev.sandboxer.platform.dataplane;

import dev.sandboxer.platform.connection.RequestBounds;
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
 * What a client asks of a WebSocket, and whether boxd's answer fits it. No extension is ever
 * offered: compression of a hostile peer's data is not ours to bear.
 *
 * @param key of the handshake
 * @param offered subprotocols, in the client's order; browsers put tickets among them
 * @param frames whether the route has frames of our own
 */
record Upgrade(String key, List<String> offered, boolean frames) {

  /** Raw bytes in binary frames. */
  static final String BINARY = "sandboxer.v1.binary";

  /**
   * Text frames alone, which are also spoken without any subprotocol. It has a name because
   * browsers want one of those that they offer, and a ticket is never chosen.
   */
  static final String JSON = "sandboxer.v1.json";

  private static final String TICKET = "sandboxer.ticket.";
  private static final String GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
  private static final int KEY_BYTES = 16;

  /** Reads what is asked; empty if the request is no well-formed WebSocket handshake. */
  static Optional<Upgrade> of(HttpServerRequest request, boolean frames) {
    String key = request.getHeader("Sec-WebSocket-Key");
    boolean asked =
        "websocket".equalsIgnoreCase(request.getHeader(HttpHeaders.UPGRADE))
            && lists(request.getHeader(HttpHeaders.CONNECTION), "upgrade")
            && "13".equals(request.getHeader("Sec-WebSocket-Version"))
            && !RequestBounds.hasBody(request);
    if (!asked || key == null || !sixteenBytes(key)) {
      return Optional.empty();
    }
    List<String> offered =
        request.headers().getAll("Sec-WebSocket-Protocol").stream()
            .flatMap(line -> split(line).stream())
            .toList();
    return Optional.of(new Upgrade(key, offered, frames));
  }

  /** The tickets that were offered. */
  List<String> tickets() {
    return offered.stream()
        .filter(protocol -> protocol.startsWith(TICKET))
        .map(protocol -> protocol.substring(TICKET.length()))
        .toList();
  }

  void ask(RequestHead head) throws WireException {
    head.upgrade().header("Sec-WebSocket-Key", key);
    List<String> passed = passed();
    if (!passed.isEmpty()) {
      head.header("Sec-WebSocket-Protocol", String.join(", ", passed));
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
        || head.count("sec-websocket-protocol") > 1
        || (protocol != null && !passed().contains(protocol))) {
      throw new WireException("a WebSocket extension or protocol that was not offered");
    }
  }

  /** What the client is told after boxd's 101. */
  @Nullable String agreed(ReplyHead head) {
    String protocol = head.first("sec-websocket-protocol");
    return protocol == null && frames && offered.contains(JSON) ? JSON : protocol;
  }

  /** What the client is told where boxd was not asked yet. */
  @Nullable String chosen() {
    return offered.contains(BINARY) ? BINARY : offered.contains(JSON) ? JSON : null;
  }

  void answer(@Nullable String protocol, HttpServerResponse response) {
    response
        .setStatusCode(101)
        .putHeader(HttpHeaders.UPGRADE, "websocket")
        .putHeader(HttpHeaders.CONNECTION, "Upgrade")
        .putHeader("Sec-WebSocket-Accept", accept());
    if (protocol != null) {
      response.putHeader("Sec-WebSocket-Protocol", protocol);
    }
  }

  /** Browsers put credentials among the protocols as well; boxd sees none. */
  private List<String> passed() {
    return offered.stream()
        .filter(protocol -> frames ? protocol.equals(BINARY) : !protocol.startsWith(TICKET))
        .toList();
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

  private static boolean sixteenBytes(String key) {
    try {
      return Base64.getDecoder().decode(key).length == KEY_BYTES;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private static boolean lists(@Nullable String header, String word) {
    return header != null && split(header).stream().anyMatch(word::equalsIgnoreCase);
  }

  private static List<String> split(String header) {
    return Arrays.stream(header.split(",", -1))
        .map(String::strip)
        .filter(part -> !part.isEmpty())
        .toList();
  }
}
