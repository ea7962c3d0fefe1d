package dev.sandboxer.ext.docker.wire;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * A program's input and output. The Engine puts a head of eight bytes before each part of its
 * output, which says whether it is stdout or stderr.
 */
public final class Hijacked implements AutoCloseable {

  private static final int HEAD = 8;
  private static final int STDERR = 2;
  private static final int MAX_SAID = 1024;

  private final Connection connection;
  private final byte[] head = new byte[HEAD];
  private final StringBuilder said = new StringBuilder();
  private final Runnable release;
  private int left;

  /**
   * One that its client may still cut.
   *
   * @param release takes it away from its client
   */
  Hijacked(Connection connection, Runnable release) {
    this.connection = connection;
    this.release = release;
  }

  /** From now on it ends when it is closed, and not with its client. */
  public void release() {
    release.run();
  }

  /**
   * What the program wrote to stderr, as far as it was met between its output.
   *
   * @return at most some lines
   */
  public String said() {
    return said.toString().strip();
  }

  /**
   * Reads stdout.
   *
   * @param target gets the bytes
   * @param offset of the first
   * @param length at most
   * @return how many, -1 at the program's end
   * @throws IOException if the connection failed or was closed
   */
  public int read(byte[] target, int offset, int length) throws IOException {
    while (left == 0) {
      if (connection.readNBytes(head, 0, HEAD) < HEAD) {
        return -1;
      }
      int size = ByteBuffer.wrap(head).getInt(HEAD - Integer.BYTES);
      if (size < 0) {
        throw new NotHttpException("a part of the output has no length");
      }
      if (head[0] == STDERR) {
        keep(size);
      } else {
        left = size;
      }
    }
    int count = connection.read(target, offset, Math.min(left, length));
    left -= Math.max(count, 0);
    return count;
  }

  private void keep(int length) throws IOException {
    byte[] text = connection.readNBytes(Math.min(length, MAX_SAID));
    connection.skipNBytes(length - text.length);
    said.append(new String(text, StandardCharsets.UTF_8));
    said.setLength(Math.min(said.length(), MAX_SAID));
  }

  /**
   * Writes to stdin.
   *
   * @param bytes from the first one on
   * @param length how many
   * @throws IOException if the connection failed or was closed
   */
  public void write(byte[] bytes, int length) throws IOException {
    connection.write(bytes, length);
  }

  @Override
  public void close() {
    connection.close();
  }
}
