package dev.sandboxer.bench.http;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Connections that all repeat one request, each the next as soon as its reply is whole; one thread
 * serves them all.
 */
public final class Swarm implements AutoCloseable {

  private static final int BUFFER_BYTES = 16 << 10;
  private static final long PATIENCE_MILLIS = 10_000;

  private final ByteBuffer request;
  private final Selector selector;
  private final List<Peer> peers = new ArrayList<>();
  private int outstanding;
  private long replies;

  /** Opens all connections. */
  public Swarm(Endpoint endpoint, ByteBuffer request, int connections) throws IOException {
    this.request = request;
    this.selector = Selector.open();
    for (int i = 0; i < connections; i++) {
      peers.add(new Peer(SocketChannel.open(endpoint.address())));
    }
  }

  /**
   * Runs this long, at least until the first reply, and returns whole replies a second; any status
   * but 200 is an error.
   */
  public double rate(Duration time) throws IOException {
    replies = 0;
    long begin = System.nanoTime();
    for (Peer peer : peers) {
      peer.send();
    }
    while (replies == 0 || System.nanoTime() - begin < time.toNanos()) {
      turn(true);
    }
    double rate = replies * 1e9 / (System.nanoTime() - begin);
    while (outstanding > 0) {
      turn(false);
    }
    return rate;
  }

  private void turn(boolean again) throws IOException {
    int ready = selector.select(key -> serve((Peer) key.attachment(), again), PATIENCE_MILLIS);
    if (ready == 0) {
      throw new IOException("no reply within " + PATIENCE_MILLIS + " ms");
    }
    for (Peer peer : peers) {
      peer.rethrow();
    }
  }

  private void serve(Peer peer, boolean again) {
    try {
      if (!peer.receive()) {
        return;
      }
      replies++;
      outstanding--;
      if (again) {
        peer.send();
      }
    } catch (IOException e) {
      peer.failure = e;
    }
  }

  @Override
  public void close() throws IOException {
    for (Peer peer : peers) {
      peer.channel.close();
    }
    selector.close();
  }

  /** One connection. */
  private final class Peer {

    private final SocketChannel channel;
    private final ByteBuffer received = ByteBuffer.allocateDirect(BUFFER_BYTES);
    private @org.jspecify.annotations.Nullable IOException failure;

    Peer(SocketChannel channel) throws IOException {
      this.channel = channel;
      channel.configureBlocking(false);
      channel.register(selector, SelectionKey.OP_READ, this);
    }

    void send() throws IOException {
      received.clear();
      ByteBuffer bytes = request.duplicate();
      channel.write(bytes);
      if (bytes.hasRemaining()) {
        throw new IOException("a request of " + bytes.limit() + " bytes did not fit the socket");
      }
      outstanding++;
    }

    boolean receive() throws IOException {
      if (channel.read(received) < 0) {
        throw new EOFException("the connection was closed before the reply was whole");
      }
      Head head = Head.parse(received);
      if (head == null || received.position() < head.length() + head.bodyLength()) {
        return false;
      }
      if (head.status() != 200) {
        throw new IOException("status " + head.status() + ", wanted 200");
      }
      return true;
    }

    void rethrow() throws IOException {
      if (failure != null) {
        throw failure;
      }
    }
  }
}
