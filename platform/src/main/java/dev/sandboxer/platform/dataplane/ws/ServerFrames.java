package dev.sandboxer.platform.dataplane.ws;

import dev.sandboxer.platform.dataplane.wire.WireException;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;

/**
 * Follows what a server sends, so that frames of our own can be put between its frames, and refuses
 * what no honest one says: long messages, text that is not UTF-8, data after its close. Also writes
 * frames.
 */
public final class ServerFrames {

  /** Far above what boxd says in one message, in bytes. */
  public static final long BOXD_MESSAGE = 16 << 20;

  /** For a program behind a port, which may say more at once, in bytes. */
  public static final long PROGRAM_MESSAGE = 1L << 30;

  private static final int SMALL = 126;
  private static final int MAX_TEXT = 0xffff;
  private static final int MAX_REASON = 123;

  private final long mostMessage;
  private final FrameHead head = new FrameHead(false);
  private final TextCheck characters = new TextCheck();
  private long left = -1;
  private long message;
  private boolean text;
  private boolean closed;

  /**
   * Begins with the first frame.
   *
   * @param mostMessage bytes of a message, above which it breaks the protocol
   */
  public ServerFrames(long mostMessage) {
    this.mostMessage = mostMessage;
  }

  /**
   * Goes on.
   *
   * @param in what came
   * @return behind which byte of {@code in} a message can be put last; -1 if nowhere
   * @throws WireException if it breaks the protocol
   */
  public int feed(Buffer in) throws WireException {
    int place = -1;
    int at = 0;
    while (at < in.length() || left == 0) {
      if (left < 0) {
        if (closed) {
          throw new WireException("data after its close");
        }
        at = head.read(in, at);
        if (at < 0) {
          return place;
        }
        begun();
      }
      int end = (int) Math.min(in.length(), at + left);
      if (ofText()) {
        characters.feed(in, at, end);
      }
      left -= end - at;
      at = end;
      if (left == 0) {
        left = -1;
        ended();
        place = head.inMessage() ? place : at;
      }
    }
    return place;
  }

  private void begun() throws WireException {
    left = head.length();
    int opcode = head.opcode();
    if (Opcode.control(opcode)) {
      return;
    }
    if (opcode != Opcode.CONTINUATION) {
      message = 0;
      text = opcode == Opcode.TEXT;
    }
    if (left > mostMessage - message) {
      throw new WireException("a message of more than " + mostMessage + " bytes");
    }
    message += left;
  }

  private boolean ofText() {
    return text && !Opcode.control(head.opcode());
  }

  private void ended() throws WireException {
    closed = head.opcode() == Opcode.CLOSE;
    if (ofText() && head.last()) {
      characters.end();
    }
    head.next();
  }

  /**
   * Whether a message can be put after all that came.
   *
   * @return true if so
   */
  public boolean between() {
    return left < 0 && head.idle() && !head.inMessage();
  }

  /**
   * Whether the server has said that it closes.
   *
   * @return true from the end of its close frame on
   */
  public boolean closed() {
    return closed;
  }

  /**
   * A text message.
   *
   * @param text up to 65,535 bytes in UTF-8
   * @return its frame
   */
  public static Buffer text(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    if (bytes.length > MAX_TEXT) {
      throw new IllegalArgumentException("a frame of " + bytes.length + " bytes");
    }
    return frame(Opcode.TEXT, bytes);
  }

  /**
   * A ping or pong.
   *
   * @param opcode of {@link Opcode}
   * @param payload up to 125 bytes
   * @return its frame
   */
  public static Buffer control(int opcode, Buffer payload) {
    return frame(opcode, payload.getBytes());
  }

  /**
   * A close.
   *
   * @param status of RFC 6455, 7.4
   * @param reason for a person, ASCII, cut at 123 characters
   * @return its frame
   */
  public static Buffer close(int status, String reason) {
    String cut = reason.length() > MAX_REASON ? reason.substring(0, MAX_REASON) : reason;
    Buffer payload = Buffer.buffer().appendShort((short) status).appendString(cut, "US-ASCII");
    return frame(Opcode.CLOSE, payload.getBytes());
  }

  private static Buffer frame(int opcode, byte[] payload) {
    Buffer frame = Buffer.buffer(payload.length + 4).appendByte((byte) (0x80 | opcode));
    if (payload.length < SMALL) {
      frame.appendByte((byte) payload.length);
    } else {
      frame.appendByte((byte) SMALL).appendShort((short) payload.length);
    }
    return frame.appendBytes(payload);
  }
}
