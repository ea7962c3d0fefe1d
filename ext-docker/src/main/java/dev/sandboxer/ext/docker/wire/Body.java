package dev.sandboxer.ext.docker.wire;

import dev.sandboxer.ext.docker.wire.EngineUnreachableException.Kind;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;

/** An answer's body: chunked, of a stated length, or up to the connection's end. */
final class Body extends InputStream {

  private static final int MAX_SIZE_LINE = 1024;
  private static final long TO_THE_END = Long.MAX_VALUE;

  private final Connection connection;
  private final boolean chunked;
  private long left;
  private boolean ended;

  private Body(Connection connection, boolean chunked, long left) {
    this.connection = connection;
    this.chunked = chunked;
    this.left = left;
  }

  static Body of(Connection connection, Head head, boolean bodyless) throws IOException {
    if (bodyless || head.empty()) {
      return new Body(connection, false, 0);
    }
    if (head.chunked()) {
      return new Body(connection, true, 0);
    }
    long length = head.upgraded() ? -1 : head.length();
    return new Body(connection, false, length < 0 ? TO_THE_END : length);
  }

  @Override
  public int read() {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  /** {@inheritDoc} */
  @Override
  public int read(byte[] target, int offset, int length) {
    try {
      return some(target, offset, length);
    } catch (IOException e) {
      // Typed here: docker-java would hide what it is.
      throw new EngineUnreachableException(
          e instanceof NotHttpException ? Kind.GARBAGE : Kind.CUT,
          true,
          String.valueOf(e.getMessage()),
          e);
    }
  }

  private int some(byte[] target, int offset, int length) throws IOException {
    if (length == 0) {
      return 0;
    }
    if (chunked && left == 0 && !ended) {
      nextChunk();
    }
    if (ended || left == 0) {
      return -1;
    }
    int count = connection.read(target, offset, (int) Math.min(length, left));
    if (count < 0) {
      return end();
    }
    if (left != TO_THE_END) {
      left -= count;
    }
    if (chunked && left == 0) {
      connection.line(MAX_SIZE_LINE);
    }
    return count;
  }

  private int end() throws IOException {
    if (left != TO_THE_END) {
      throw new EOFException("the connection ended in the middle of an answer");
    }
    ended = true;
    return -1;
  }

  private void nextChunk() throws IOException {
    String size = connection.line(MAX_SIZE_LINE);
    try {
      left = Long.parseLong(size.split(";", 2)[0].strip(), 16);
    } catch (NumberFormatException e) {
      throw new NotHttpException("a chunk's size is not a number");
    }
    if (left == 0) {
      connection.line(MAX_SIZE_LINE);
      ended = true;
    }
  }

  @Override
  public void close() {
    connection.close();
  }
}
