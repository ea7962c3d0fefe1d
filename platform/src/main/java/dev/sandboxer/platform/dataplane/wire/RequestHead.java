package dev.sandboxer.platform.dataplane.wire;

import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;

/**
 * Builds the head of a request. Names are constants of ours; values are checked, so that none can
 * end a line.
 */
public final class RequestHead {

  private static final int USUAL_BYTES = 1024;

  private final StringBuilder text = new StringBuilder(USUAL_BYTES);
  private final String method;
  private final String uri;
  private final boolean headRequest;
  private boolean upgrade;
  private boolean chunked;

  /**
   * Begins a head.
   *
   * @param method such as {@code GET}
   * @param uri path and query as they are to be sent
   * @throws WireException if the URI has blanks or control characters
   */
  public RequestHead(String method, String uri) throws WireException {
    for (int i = 0; i < uri.length(); i++) {
      if (uri.charAt(i) <= ' ' || uri.charAt(i) >= 0x7f) {
        throw new WireException("a path with blanks or control characters");
      }
    }
    this.method = method;
    this.uri = uri;
    headRequest = "HEAD".equals(method);
  }

  /**
   * Adds a header.
   *
   * @param name a constant
   * @param value Latin-1
   * @return this
   * @throws WireException if the value has control characters
   */
  public RequestHead header(String name, String value) throws WireException {
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if ((c < ' ' && c != '\t') || c == 0x7f || c > 0xff) {
        throw new WireException("header " + name + " has control or wide characters");
      }
    }
    line(text, name, value);
    return this;
  }

  /**
   * Adds a header whose name is not ours.
   *
   * @param name of a client's request
   * @param value Latin-1
   * @return this
   * @throws WireException if the name has other than letters, digits, - and _, or the value has
   *     control characters
   */
  public RequestHead clientHeader(String name, String value) throws WireException {
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      boolean fine = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
      if (!fine && c != '-' && c != '_') {
        throw new WireException("a header name with odd characters");
      }
    }
    return header(name, value);
  }

  /**
   * A body of known length follows.
   *
   * @param bytes at least 0
   * @return this
   */
  public RequestHead length(long bytes) {
    text.append("Content-Length: ").append(bytes).append("\r\n");
    return this;
  }

  /**
   * A body of unknown length follows; the exchange frames it.
   *
   * @return this
   */
  public RequestHead chunked() {
    chunked = true;
    text.append("Transfer-Encoding: chunked\r\n");
    return this;
  }

  /**
   * Asks for a WebSocket.
   *
   * @return this
   */
  public RequestHead upgrade() {
    upgrade = true;
    text.append("Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n");
    return this;
  }

  /**
   * Asks for a protocol of our own.
   *
   * @param protocol a constant
   * @return this
   */
  public RequestHead upgrade(String protocol) {
    upgrade = true;
    text.append("Connection: Upgrade\r\nUpgrade: ").append(protocol).append("\r\n");
    return this;
  }

  boolean headRequest() {
    return headRequest;
  }

  boolean wantsUpgrade() {
    return upgrade;
  }

  boolean isChunked() {
    return chunked;
  }

  /** The whole head as that transport needs it. */
  Buffer bytes(Transport transport) {
    StringBuilder all = new StringBuilder(USUAL_BYTES);
    all.append(method).append(' ').append(transport.prefix()).append(uri).append(" HTTP/1.1\r\n");
    all.append("Host: ").append(transport.authority()).append("\r\n").append(text);
    transport.headers().forEach((name, value) -> line(all, name, value));
    return Buffer.buffer(all.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1));
  }

  private static void line(StringBuilder to, String name, String value) {
    to.append(name).append(": ").append(value).append("\r\n");
  }
}
