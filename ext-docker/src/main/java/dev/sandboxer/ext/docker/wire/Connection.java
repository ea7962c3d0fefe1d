package dev.sandboxer.ext.docker.wire;

import dev.sandboxer.spi.ByteStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;

/**
 * One connection. Its stream is read with a buffer of its own: the JDK's stream over a channel
 * holds a lock that writers need.
 */
final class Connection extends InputStream {

  private static final int BUFFER = 32 * 1024;

  private final ByteStream stream;
  private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER).flip();
  private volatile boolean late;
  private volatile boolean written;

  Connection(ByteStream stream) {
    this.stream = stream;
  }

  boolean written() {
    return written;
  }

  /** Whether it was closed because no answer came in time. */
  boolean late() {
    return late;
  }

  void closeAsLate() {
    late = true;
    close();
  }

  void write(byte[] bytes, int length) throws IOException {
    written = true;
    stream.write(ByteBuffer.wrap(bytes, 0, length));
  }

  void endOutput() throws IOException {
    stream.closeOutput();
  }

  @Override
  public int read() throws IOException {
    return fill() ? buffer.get() & 0xff : -1;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    if (length == 0) {
      return 0;
    }
    if (!fill()) {
      return -1;
    }
    int count = Math.min(length, buffer.remaining());
    buffer.get(target, offset, count);
    return count;
  }

  private boolean fill() throws IOException {
    if (buffer.hasRemaining()) {
      return true;
    }
    buffer.clear();
    int count = stream.read(buffer);
    buffer.flip();
    return count > 0;
  }

  /** The next line without its end; {@link EOFException} if the connection ends in it. */
  String line(int limit) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int next = read(); next != '\n'; next = read()) {
      if (next < 0) {
        throw new EOFException("the connection ended in the middle of an answer");
      }
      if (line.length() >= limit) {
        throw new NotHttpException("a line of the answer is longer than " + limit + " bytes");
      }
      line.append((char) next);
    }
    int end = line.length() - 1;
    if (end >= 0 && line.charAt(end) == '\r') {
      line.setLength(end);
    }
    return line.toString();
  }

  @Override
  public void close() {
    stream.close();
  }
}
