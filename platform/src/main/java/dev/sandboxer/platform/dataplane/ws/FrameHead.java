package dev.sandboxer.platform.dataplane.ws;

import dev.sandboxer.platform.dataplane.wire.WireException;
import io.vertx.core.buffer.Buffer;

/**
 * Reads heads of frames, which may come in pieces, and refuses what breaks RFC 6455: extensions
 * that nobody agreed on, unknown kinds, long control frames, the wrong masking, parts out of order.
 */
final class FrameHead {

  private static final int MAX_BYTES = 14;
  private static final int MAX_CONTROL = 125;
  private static final int LENGTH_16 = 126;
  private static final int LENGTH_64 = 127;

  private final boolean fromClient;
  private final byte[] bytes = new byte[MAX_BYTES];
  private int have;
  private boolean inMessage;

  /**
   * Makes a reader.
   *
   * @param fromClient whether frames must be masked; else they must not be
   */
  FrameHead(boolean fromClient) {
    this.fromClient = fromClient;
  }

  /**
   * Reads on.
   *
   * @return where the payload begins; -1 if the head is not whole yet
   */
  int read(Buffer in, int from) throws WireException {
    for (int at = from; at < in.length(); at++) {
      bytes[have++] = in.getByte(at);
      if (have >= 2 && have == size()) {
        check();
        return at + 1;
      }
    }
    return -1;
  }

  /** Forgets this head and remembers whether a message goes on after its frame. */
  void next() {
    if (!Opcode.control(opcode())) {
      inMessage = !last();
    }
    have = 0;
  }

  /** Between two frames. */
  boolean idle() {
    return have == 0;
  }

  /** Within a message of several frames. */
  boolean inMessage() {
    return inMessage;
  }

  boolean last() {
    return (bytes[0] & 0x80) != 0;
  }

  int opcode() {
    return bytes[0] & 0x0f;
  }

  long length() {
    int small = bytes[1] & 0x7f;
    if (small < LENGTH_16) {
      return small;
    }
    long length = 0;
    for (int i = 2; i < (small == LENGTH_16 ? 4 : 10); i++) {
      length = length << 8 | (bytes[i] & 0xff);
    }
    return length;
  }

  /** Bytes of this head that were read. */
  int have() {
    return have;
  }

  Buffer copy() {
    return Buffer.buffer(have).appendBytes(bytes, 0, have);
  }

  /** Takes the mask off a part of the payload. */
  void unmask(Buffer from, int start, int end, long offset, Buffer to) {
    byte[] part = from.getBytes(start, end);
    int key = have - 4;
    for (int i = 0; i < part.length; i++) {
      part[i] ^= bytes[key + (int) ((offset + i) & 3)];
    }
    to.appendBytes(part);
  }

  private int size() {
    int small = bytes[1] & 0x7f;
    int length = small == LENGTH_64 ? 8 : small == LENGTH_16 ? 2 : 0;
    return 2 + length + (masked() ? 4 : 0);
  }

  private boolean masked() {
    return (bytes[1] & 0x80) != 0;
  }

  private void check() throws WireException {
    int opcode = opcode();
    if ((bytes[0] & 0x70) != 0) {
      throw new WireException("a frame with reserved bits");
    }
    if (!Opcode.known(opcode)) {
      throw new WireException("a frame of unknown kind " + opcode);
    }
    if (masked() != fromClient) {
      throw new WireException(fromClient ? "a frame without mask" : "a masked frame");
    }
    if (length() < 0) {
      throw new WireException("a frame longer than 63 bits can say");
    }
    if (Opcode.control(opcode)) {
      if (!last() || length() > MAX_CONTROL) {
        throw new WireException("a control frame in parts or over " + MAX_CONTROL + " bytes");
      }
    } else if (inMessage != (opcode == Opcode.CONTINUATION)) {
      throw new WireException("a message's parts out of order");
    }
  }
}
