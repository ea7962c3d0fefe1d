package dev.sandboxer.e2e;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

/** A line to a server on this machine on which, after so many bytes of replies, no more comes. */
final class StallingLink implements AutoCloseable {

  private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  private final int target;
  private final AtomicLong left = new AtomicLong(Long.MAX_VALUE);
  private final CompletableFuture<Void> stalled = new CompletableFuture<>();
  private final CompletableFuture<Void> released = new CompletableFuture<>();

  StallingLink(int target) throws IOException {
    this.target = target;
    var _ = Thread.ofVirtual().start(this::accept);
  }

  String address() {
    return "127.0.0.1:" + server.getLocalPort();
  }

  /** Completes when so many bytes have passed; then connections are cut as soon as released. */
  CompletableFuture<Void> stallAfter(long bytes) {
    left.set(bytes);
    return stalled;
  }

  /** From now on all passes, on new connections. */
  void release() {
    left.set(Long.MAX_VALUE);
    released.complete(null);
  }

  private void accept() {
    while (!server.isClosed()) {
      try {
        Socket client = server.accept();
        var _ = Thread.ofVirtual().start(() -> connect(client));
      } catch (IOException e) {
        return;
      }
    }
  }

  private void connect(Socket client) {
    try (client;
        Socket upstream = new Socket(InetAddress.getLoopbackAddress(), target)) {
      var _ =
          Thread.ofVirtual()
              .start(
                  () -> {
                    try {
                      client.getInputStream().transferTo(upstream.getOutputStream());
                      upstream.shutdownOutput();
                    } catch (IOException e) {
                      // The other direction ends as well.
                    }
                  });
      replies(upstream.getInputStream(), client.getOutputStream());
    } catch (IOException e) {
      // Either side is gone.
    }
  }

  private void replies(InputStream in, OutputStream out) throws IOException {
    byte[] buffer = new byte[8192];
    for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
      if (left.addAndGet(-count) < 0) {
        stalled.complete(null);
        released.join();
        return;
      }
      out.write(buffer, 0, count);
    }
  }

  @Override
  public void close() {
    release();
    try {
      server.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
