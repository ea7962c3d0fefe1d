package dev.sandboxer.platform.dataplane;

import io.vertx.core.buffer.Buffer;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/** WebSocket frames, written and read by hand. */
final class Ws {

  static final int TEXT = 1;
  static final int BINARY = 2;
  static final int CLOSE = 8;
  static final int PING = 9;
  static final int PONG = 10;

  private static final byte[] MASK = {1, 2, 3, 4};

  private Ws() {}

  /** A frame that was read. */
  record Frame(int opcode, Buffer payload) {

    String text() {
      return payload.toString(StandardCharsets.UTF_8);
    }

    int status() {
      return payload.length() < 2 ? 0 : payload.getUnsignedShort(0);
    }
  }

  static byte[] fromClient(int opcode, String text) {
    return frame(0x80 | opcode, text.getBytes(StandardCharsets.UTF_8), true);
  }

  static byte[] fromServer(int opcode, String text) {
    return frame(0x80 | opcode, text.getBytes(StandardCharsets.UTF_8), false);
  }

  /** Any first byte, and masked or not. */
  static byte[] frame(int first, byte[] payload, boolean masked) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(first);
    int mask = masked ? 0x80 : 0;
    if (payload.length < 126) {
      out.write(mask | payload.length);
    } else if (payload.length <= 0xffff) {
      out.write(mask | 126);
      out.write(payload.length >> 8);
      out.write(payload.length);
    } else {
      out.write(mask | 127);
      for (int shift = 56; shift >= 0; shift -= 8) {
        out.write((int) ((long) payload.length >> shift));
      }
    }
    if (masked) {
      out.writeBytes(MASK);
    }
    for (int i = 0; i < payload.length; i++) {
      out.write(masked ? payload[i] ^ MASK[i & 3] : payload[i]);
    }
    return out.toByteArray();
  }

  static Frame read(InputStream stream) throws IOException {
    DataInputStream in = new DataInputStream(stream);
    int opcode = in.readUnsignedByte() & 0x0f;
    int second = in.readUnsignedByte();
    long length = second & 0x7f;
    if (length == 126) {
      length = in.readUnsignedShort();
    } else if (length == 127) {
      length = in.readLong();
    }
    byte[] mask = (second & 0x80) != 0 ? in.readNBytes(4) : new byte[4];
    byte[] payload = in.readNBytes(Math.toIntExact(length));
    for (int i = 0; i < payload.length; i++) {
      payload[i] ^= mask[i & 3];
    }
    return new Frame(opcode, Buffer.buffer(payload));
  }
}
