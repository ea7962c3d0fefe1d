package dev.sandboxer.ext.docker;

import dev.sandboxer.ext.docker.wire.Hijacked;
import dev.sandboxer.spi.ByteStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A connection to boxd through {@code boxd connect}, which the Engine runs in the container. Each
 * way the bytes come in pieces with their length, so that the end of one way, the end of both and a
 * lost connection differ.
 */
final class BoxdStream implements ByteStream {

  private static final int HEAD = Integer.BYTES;
  private static final int MOST = 32 * 1024;

  private final Hijacked program;
  private final byte[] head = new byte[HEAD];
  private final byte[] output = new byte[HEAD + MOST];
  private byte[] copy = {};
  private int left;
  private boolean ended;

  private BoxdStream(Hijacked program) {
    this.program = program;
  }

  /** Waits until the program says that it is connected. */
  static BoxdStream of(Hijacked program) throws IOException {
    BoxdStream stream = new BoxdStream(program);
    if (stream.size() != 0) {
      throw new IOException("boxd connect began with something else than an empty piece");
    }
    return stream;
  }

  private int size() throws IOException {
    for (int done = 0; done < HEAD; ) {
      int count = program.read(head, done, HEAD - done);
      if (count < 0) {
        throw new EOFException(
            program.said().isEmpty() ? "the connection into the sandbox ended" : program.said());
      }
      done += count;
    }
    int size = ByteBuffer.wrap(head).getInt();
    if (size < 0) {
      throw new IOException("a piece from boxd connect has no length");
    }
    return size;
  }

  @Override
  public int read(ByteBuffer target) throws IOException {
    if (ended) {
      return -1;
    }
    if (left == 0) {
      left = size();
      ended = left == 0;
      if (ended) {
        return -1;
      }
    }
    int count = target.hasArray() ? direct(target) : copied(target);
    if (count < 0) {
      throw new EOFException("the connection into the sandbox ended");
    }
    left -= count;
    return count;
  }

  private int direct(ByteBuffer target) throws IOException {
    int count =
        program.read(
            target.array(),
            target.arrayOffset() + target.position(),
            Math.min(left, target.remaining()));
    target.position(target.position() + Math.max(count, 0));
    return count;
  }

  private int copied(ByteBuffer target) throws IOException {
    if (copy.length == 0) {
      copy = new byte[MOST];
    }
    int count = program.read(copy, 0, Math.min(Math.min(left, MOST), target.remaining()));
    target.put(copy, 0, Math.max(count, 0));
    return count;
  }

  @Override
  public void write(ByteBuffer source) throws IOException {
    while (source.hasRemaining()) {
      int part = Math.min(MOST, source.remaining());
      ByteBuffer.wrap(output).putInt(part);
      source.get(output, HEAD, part);
      program.write(output, HEAD + part);
    }
  }

  @Override
  public boolean closeOutput() throws IOException {
    ByteBuffer.wrap(output).putInt(0);
    program.write(output, HEAD);
    return true;
  }

  /** The program then sees an end without an empty piece, and ends at once. */
  @Override
  public void close() {
    program.close();
  }
}
