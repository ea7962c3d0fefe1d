package dev.sandboxer.bench.abuse;

import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;

/**
 * Connections that each send a beginning and no more, each on a virtual thread. What the server
 * does with them is its matter: a connection that it ends is ended.
 */
final class Crowd implements AutoCloseable {

  private static final int AT_ONCE = 64;

  private final SocketAddress address;
  private final Queue<SocketChannel> open = new ConcurrentLinkedQueue<>();
  private final Semaphore connecting = new Semaphore(AT_ONCE);

  Crowd(SocketAddress address) {
    this.address = address;
  }

  /** Lets this many connections send the head and this many bytes; returns once all were tried. */
  void send(int connections, ByteBuffer head, int bodyBytes) throws InterruptedException {
    CountDownLatch tried = new CountDownLatch(connections);
    ByteBuffer body = ByteBuffer.allocateDirect(bodyBytes);
    for (int i = 0; i < connections; i++) {
      Thread.startVirtualThread(
          () -> {
            sendOne(head, body);
            tried.countDown();
          });
    }
    tried.await();
  }

  private void sendOne(ByteBuffer head, ByteBuffer body) {
    connecting.acquireUninterruptibly();
    try {
      SocketChannel channel = SocketChannel.open(address);
      open.add(channel);
      write(channel, head.duplicate());
      write(channel, body.duplicate());
    } catch (IOException e) {
      // The server ended it, as it may.
    } finally {
      connecting.release();
    }
  }

  private static void write(SocketChannel channel, ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      channel.write(bytes);
    }
  }

  @Override
  public void close() throws IOException {
    for (SocketChannel channel : open) {
      channel.close();
    }
  }
}
