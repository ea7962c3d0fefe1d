package dev.sandboxer.bench.http;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * What of a reply's head matters here.
 *
 * @param length bytes of the head, with the empty line
 * @param bodyLength bytes that follow it
 */
record Head(int status, int length, long bodyLength) {

  private static final int END = 0x0d0a0d0a;
  private static final int STATUS_AT = "HTTP/1.1 ".length();
  private static final int LONGEST = 16 << 10;
  private static final int NO_CONTENT = 204;
  private static final int SWITCHING = 101;

  /** Reads the head at the beginning of what was received; null while it is not whole. */
  static @Nullable Head parse(ByteBuffer received) throws IOException {
    int length = end(received);
    if (length < 0) {
      if (received.position() > LONGEST) {
        throw new IOException("a reply's head is longer than " + LONGEST + " bytes");
      }
      return null;
    }
    int status = 0;
    for (int i = STATUS_AT; i < STATUS_AT + 3; i++) {
      status = status * 10 + received.get(i) - '0';
    }
    return new Head(
        status,
        length,
        status == NO_CONTENT || status == SWITCHING ? 0 : bodyLength(received, length));
  }

  private static int end(ByteBuffer received) {
    for (int i = 0; i + 4 <= received.position(); i++) {
      if (received.get(i) == '\r' && received.getInt(i) == END) {
        return i + 4;
      }
    }
    return -1;
  }

  private static long bodyLength(ByteBuffer received, int length) throws IOException {
    int at = "\r\ncontent-length:".length();
    for (int i = STATUS_AT; i + at < length; i++) {
      if (received.get(i) == '\r' && isContentLength(received, i)) {
        return number(received, i + at);
      }
    }
    byte[] head = new byte[length];
    received.get(0, head);
    throw new IOException(
        "a reply without Content-Length:\n" + new String(head, StandardCharsets.US_ASCII));
  }

  private static boolean isContentLength(ByteBuffer received, int at) {
    String name = "\ncontent-length:";
    for (int i = 0; i < name.length(); i++) {
      if ((received.get(at + 1 + i) | 0x20) != (name.charAt(i) | 0x20)) {
        return false;
      }
    }
    return true;
  }

  private static long number(ByteBuffer received, int from) {
    long value = 0;
    for (int i = from; received.get(i) != '\r'; i++) {
      int digit = received.get(i) - '0';
      value = digit < 0 ? value : value * 10 + digit;
    }
    return value;
  }
}
