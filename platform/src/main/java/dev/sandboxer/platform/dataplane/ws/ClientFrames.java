package dev.sandboxer.platform.dataplane.ws;

import dev.sandboxer.platform.dataplane.wire.WireException;
import io.vertx.core.buffer.Buffer;

/**
 * Follows what a client sends. Control frames and whole text messages up to a limit are shown one
 * by one, all else passes in pieces as it comes, masked as it was.
 */
public final class ClientFrames {

  private Sink sink;
  private final int limit;
  private final FrameHead head = new FrameHead(true);
  private Buffer control = Buffer.buffer();
  private Buffer raw = Buffer.buffer();
  private Buffer text = Buffer.buffer();
  private boolean inPayload;
  private Way way = Way.PASS;
  private boolean holding;
  private long at;
  private int passFrom;

  private enum Way {
    PASS,
    HOLD,
    CONTROL
  }

  /** Takes what a client says, in its order; but a control frame may overtake a text's parts. */
  public interface Sink {

    /**
     * A whole text message within the limit.
     *
     * @param raw as it came, to be passed on
     * @param text without the mask
     * @throws WireException to end the connection
     */
    void text(Buffer raw, Buffer text) throws WireException;

    /**
     * A close, ping or pong.
     *
     * @param opcode of {@link Opcode}
     * @param raw as it came
     * @param payload without the mask
     * @throws WireException to end the connection
     */
    void control(int opcode, Buffer raw, Buffer payload) throws WireException;

    /**
     * Bytes of binary and long messages.
     *
     * @param raw as they came
     * @throws WireException to end the connection
     */
    void pass(Buffer raw) throws WireException;
  }

  /**
   * Makes one for a new connection.
   *
   * @param limit of a text message's bytes, with heads; 0 shows none
   * @param sink takes the frames
   */
  public ClientFrames(int limit, Sink sink) {
    this.limit = limit;
    this.sink = sink;
  }

  /**
   * Shows all that comes from now on to another.
   *
   * @param next takes the frames
   */
  public void handTo(Sink next) {
    sink = next;
  }

  /**
   * Goes on.
   *
   * @param in what came
   * @throws WireException if it breaks the protocol, or the sink wants an end
   */
  public void feed(Buffer in) throws WireException {
    passFrom = -1;
    int position = 0;
    while (position < in.length() || (inPayload && at == head.length())) {
      position = inPayload ? payload(in, position) : head(in, position);
    }
    flush(in, position);
  }

  private int head(Buffer in, int from) throws WireException {
    int begun = head.idle() ? from : 0;
    int end = head.read(in, from);
    if (end < 0) {
      flush(in, begun);
      return in.length();
    }
    inPayload = true;
    at = 0;
    choose();
    if (way == Way.PASS) {
      startPass(in, begun, end);
    } else {
      flush(in, from);
      (way == Way.HOLD ? raw : control).appendBuffer(head.copy());
    }
    return end;
  }

  /** The head's bytes of an earlier read are not in this buffer any more. */
  private void startPass(Buffer in, int begun, int end) throws WireException {
    if (head.have() > end - begun) {
      flush(in, begun);
      sink.pass(head.copy());
      passFrom = end;
    } else if (passFrom < 0) {
      passFrom = begun;
    }
  }

  private void choose() throws WireException {
    int opcode = head.opcode();
    if (Opcode.control(opcode)) {
      way = Way.CONTROL;
      return;
    }
    if (opcode != Opcode.CONTINUATION) {
      holding = opcode == Opcode.TEXT && limit > 0;
    }
    if (holding && raw.length() + head.have() + head.length() > limit) {
      holding = false;
      if (raw.length() > 0) {
        sink.pass(raw);
        raw = Buffer.buffer();
        text = Buffer.buffer();
      }
    }
    way = holding ? Way.HOLD : Way.PASS;
  }

  private int payload(Buffer in, int from) throws WireException {
    int end = (int) Math.min(in.length(), from + (head.length() - at));
    if (way != Way.PASS) {
      Buffer to = way == Way.HOLD ? raw : control;
      to.appendBuffer(in, from, end - from);
      if (way == Way.HOLD) {
        head.unmask(in, from, end, at, text);
      }
    } else if (passFrom < 0) {
      passFrom = from;
    }
    at += end - from;
    if (at == head.length()) {
      frameRead(in, end);
    }
    return end;
  }

  private void frameRead(Buffer in, int end) throws WireException {
    inPayload = false;
    boolean last = head.last();
    int opcode = head.opcode();
    if (way == Way.CONTROL) {
      Buffer whole = control;
      control = Buffer.buffer();
      Buffer payload = Buffer.buffer();
      head.unmask(whole, head.have(), whole.length(), 0, payload);
      head.next();
      sink.control(opcode, whole, payload);
      return;
    }
    head.next();
    if (way == Way.HOLD && last) {
      Buffer whole = raw;
      Buffer message = text;
      raw = Buffer.buffer();
      text = Buffer.buffer();
      holding = false;
      flush(in, end);
      sink.text(whole, message);
    }
  }

  private void flush(Buffer in, int end) throws WireException {
    if (passFrom >= 0 && end > passFrom) {
      sink.pass(passFrom == 0 && end == in.length() ? in : in.slice(passFrom, end));
    }
    passFrom = -1;
  }
}
