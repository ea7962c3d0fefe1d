package dev.sandboxer.platform.dataplane.ws;

import dev.sandboxer.platform.dataplane.wire.WireException;
import io.vertx.core.buffer.Buffer;

/**
 * Puts together what a server says to us: whole text messages up to a limit, pings and its close.
 */
public final class ServerMessages {

  private final int limit;
  private final Sink sink;
  private final FrameHead head = new FrameHead(false);
  private Buffer message = Buffer.buffer();
  private Buffer control = Buffer.buffer();
  private long left = -1;

  /** Takes what the server says, in its order. */
  public interface Sink {

    /**
     * A whole text message.
     *
     * @param text in UTF-8, as the server says
     */
    void text(Buffer text);

    /**
     * A ping, which wants a pong.
     *
     * @param payload of both
     */
    void ping(Buffer payload);

    /** The server's close; nothing follows. */
    void closed();
  }

  /**
   * Makes one for a new connection.
   *
   * @param limit of a message's bytes
   * @param sink takes the messages
   */
  public ServerMessages(int limit, Sink sink) {
    this.limit = limit;
    this.sink = sink;
  }

  /**
   * Goes on.
   *
   * @param in what came
   * @throws WireException if it breaks the protocol, or is no text, or too long
   */
  public void feed(Buffer in) throws WireException {
    int at = 0;
    while (at < in.length() || left == 0) {
      if (left < 0) {
        at = head.read(in, at);
        if (at < 0) {
          return;
        }
        left = head.length();
        check();
      }
      int end = (int) Math.min(in.length(), at + left);
      target().appendBuffer(in, at, end - at);
      left -= end - at;
      at = end;
      if (left == 0) {
        left = -1;
        frameRead();
      }
    }
  }

  private Buffer target() {
    return Opcode.control(head.opcode()) ? control : message;
  }

  private void check() throws WireException {
    if (head.opcode() == Opcode.BINARY) {
      throw new WireException("a binary message, which nobody agreed on");
    }
    if (left > limit - target().length()) {
      throw new WireException("a message of more than " + limit + " bytes");
    }
  }

  private void frameRead() {
    int opcode = head.opcode();
    boolean last = head.last();
    head.next();
    if (Opcode.control(opcode)) {
      Buffer payload = control;
      control = Buffer.buffer();
      if (opcode == Opcode.PING) {
        sink.ping(payload);
      } else if (opcode == Opcode.CLOSE) {
        sink.closed();
      }
    } else if (last) {
      Buffer whole = message;
      message = Buffer.buffer();
      sink.text(whole);
    }
  }
}
