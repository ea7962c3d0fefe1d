package dev.sandboxer.bench.http;

import java.io.EOFException;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;

/**
 * A kept connection, for one request at a time: one write and one read where the reply is small.
 */
public final class Connection implements AutoCloseable {

  private static final int BUFFER_BYTES = 1 << 20;

  private final SocketChannel channel;
  private final ByteBuffer received = ByteBuffer.allocateDirect(BUFFER_BYTES);

  Connection(SocketAddress address) throws IOException {
    channel = SocketChannel.open(address);
    if (channel.supportedOptions().contains(StandardSocketOptions.TCP_NODELAY)) {
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    }
  }

  /** Sends a request and reads the whole reply, which must fit in memory. */
  public Reply call(ByteBuffer request) throws IOException {
    write(request.duplicate());
    return reply();
  }

  /**
   * Sends a request, throws the reply's body away, and returns its bytes; any status but 200 is an
   * error.
   */
  public long download(ByteBuffer request) throws IOException {
    return download(request, part -> {});
  }

  /** The same with the body kept in a file, as a client does that copies. */
  public long download(ByteBuffer request, FileChannel to) throws IOException {
    return download(
        request,
        part -> {
          while (part.hasRemaining()) {
            to.write(part);
          }
        });
  }

  private long download(ByteBuffer request, Taker to) throws IOException {
    write(request.duplicate());
    Head head = head();
    if (head.status() != 200) {
      throw new IOException("status " + head.status() + ", wanted 200");
    }
    int first = received.position() - head.length();
    to.take(received.duplicate().flip().position(head.length()));
    for (long left = head.bodyLength() - first; left > 0; ) {
      received.clear();
      left -= read();
      to.take(received.duplicate().flip());
    }
    return head.bodyLength();
  }

  /** Takes parts of a body. */
  @FunctionalInterface
  private interface Taker {
    void take(ByteBuffer part) throws IOException;
  }

  /**
   * Sends a request's head and this many bytes of the block, over and over, and reads the reply.
   */
  public Reply upload(ByteBuffer head, ByteBuffer block, long length) throws IOException {
    write(head.duplicate());
    for (long left = length; left > 0; left -= Math.min(left, block.limit())) {
      write(block.duplicate().limit((int) Math.min(left, block.limit())));
    }
    return reply();
  }

  /** Sends a request and throws away what comes until the server closes; how many bytes. */
  public long drain(ByteBuffer request) throws IOException {
    write(request.duplicate());
    long bytes = 0;
    for (int more = 0; more >= 0; more = channel.read(received.clear())) {
      bytes += more;
    }
    return bytes;
  }

  private Reply reply() throws IOException {
    Head head = head();
    byte[] body = new byte[Math.toIntExact(head.bodyLength())];
    int have = received.position() - head.length();
    received.get(head.length(), body, 0, Math.min(have, body.length));
    while (have < body.length) {
      received.clear();
      int more = read();
      received.get(0, body, have, Math.min(more, body.length - have));
      have += more;
    }
    return new Reply(head.status(), ByteBuffer.wrap(body));
  }

  private Head head() throws IOException {
    received.clear();
    while (true) {
      read();
      Head head = Head.parse(received);
      if (head != null) {
        return head;
      }
    }
  }

  private int read() throws IOException {
    int bytes = channel.read(received);
    if (bytes < 0) {
      throw new EOFException("the connection was closed before the reply was whole");
    }
    return bytes;
  }

  private void write(ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      channel.write(bytes);
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
