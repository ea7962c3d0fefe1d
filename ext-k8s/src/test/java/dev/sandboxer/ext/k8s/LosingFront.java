package dev.sandboxer.ext.k8s;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Passes connections on to an API server, and cuts the first one in which an answer to a request
 * comes back: TLS goes through it, so it counts what it takes for a handshake.
 */
final class LosingFront implements AutoCloseable {

  private static final int MOST_OF_A_HANDSHAKE = 1_500;

  private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  private final AtomicBoolean lost = new AtomicBoolean();
  private final URI to;

  LosingFront(URI to) throws IOException {
    this.to = to;
    Thread.ofVirtual().start(this::accept);
  }

  String url() {
    return "https://127.0.0.1:" + server.getLocalPort();
  }

  /** Whether a connection was cut. */
  boolean lost() {
    return lost.get();
  }

  private void accept() {
    while (!server.isClosed()) {
      try {
        Socket client = server.accept();
        Socket behind = new Socket(to.getHost(), to.getPort());
        AtomicInteger sent = new AtomicInteger();
        Thread.ofVirtual().start(() -> pass(client, behind, sent, false));
        Thread.ofVirtual().start(() -> pass(behind, client, sent, true));
      } catch (IOException e) {
        return;
      }
    }
  }

  private void pass(Socket one, Socket other, AtomicInteger sent, boolean answers) {
    byte[] piece = new byte[16 << 10];
    try (one;
        other) {
      InputStream in = one.getInputStream();
      OutputStream out = other.getOutputStream();
      for (int count = in.read(piece); count >= 0; count = in.read(piece)) {
        if (!answers) {
          sent.addAndGet(count);
        } else if (sent.get() > MOST_OF_A_HANDSHAKE && lost.compareAndSet(false, true)) {
          return;
        }
        out.write(piece, 0, count);
      }
    } catch (IOException e) {
      // either side has gone, and takes the other with it
    }
  }

  @Override
  public void close() throws IOException {
    server.close();
  }
}
