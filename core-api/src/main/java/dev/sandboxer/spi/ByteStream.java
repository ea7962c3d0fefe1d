package dev.sandboxer.spi;

import java.io.IOException;
import java.nio.ByteBuffer;

/** A duplex stream. One thread may read while another writes. */
public interface ByteStream extends AutoCloseable {

  /**
   * Reads some bytes, blocking.
   *
   * @param target with at least one byte of room
   * @return how many, -1 at the end
   * @throws IOException if the stream failed or was cancelled
   */
  int read(ByteBuffer target) throws IOException;

  /**
   * Writes all bytes, blocking while the other side does not read.
   *
   * @param source what to write
   * @throws IOException if the stream failed or was cancelled
   */
  void write(ByteBuffer source) throws IOException;

  /**
   * Ends the writing half, where the transport can.
   *
   * @return false if the transport has no half-close; nothing has happened then
   * @throws IOException if the stream failed
   */
  boolean closeOutput() throws IOException;

  /** Ends both halves at once and unblocks readers and writers. Repeatable. */
  @Override
  void close();
}
