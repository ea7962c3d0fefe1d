package dev.sandboxer.platform.dataplane.ws;

import io.vertx.core.buffer.Buffer;
import java.util.concurrent.ThreadLocalRandom;

/** Writes frames of a client of our own; a client's frames are masked. */
public final class MaskedFrames {

  private static final int SMALL = 126;
  private static final int LARGE = 127;
  private static final int MAX_16 = 0xffff;
  private static final int NORMAL = 1000;

  private MaskedFrames() {}

  /**
   * A text message.
   *
   * @param text in UTF-8
   * @return its frame
   */
  public static Buffer text(Buffer text) {
    return frame(Opcode.TEXT, text.getBytes());
  }

  /**
   * The answer to a ping.
   *
   * @param payload of the ping
   * @return its frame
   */
  public static Buffer pong(Buffer payload) {
    return frame(Opcode.PONG, payload.getBytes());
  }

  /**
   * A normal close.
   *
   * @return its frame
   */
  public static Buffer close() {
    return frame(Opcode.CLOSE, Buffer.buffer().appendShort((short) NORMAL).getBytes());
  }

  private static Buffer frame(int opcode, byte[] payload) {
    Buffer frame = Buffer.buffer(payload.length + 14).appendByte((byte) (0x80 | opcode));
    if (payload.length < SMALL) {
      frame.appendByte((byte) (0x80 | payload.length));
    } else if (payload.length <= MAX_16) {
      frame.appendByte((byte) (0x80 | SMALL)).appendShort((short) payload.length);
    } else {
      frame.appendByte((byte) (0x80 | LARGE)).appendLong(payload.length);
    }
    byte[] key = new byte[4];
    ThreadLocalRandom.current().nextBytes(key);
    for (int i = 0; i < payload.length; i++) {
      payload[i] ^= key[i & 3];
    }
    return frame.appendBytes(key).appendBytes(payload);
  }
}
