package dev.sandboxer.ssh.host;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;

/** Serves a Unix socket. */
final class UnixServer implements AutoCloseable {

  /** What is done with a connection, which is closed afterwards. */
  @FunctionalInterface
  interface Service {
    void serve(SocketChannel channel) throws IOException, InterruptedException;
  }

  /** Sends back what it gets; its end after ours. */
  static final Service ECHO =
      channel -> {
        ByteBuffer buffer = ByteBuffer.allocate(32 * 1024);
        while (channel.read(buffer) >= 0) {
          buffer.flip();
          while (buffer.hasRemaining()) {
            channel.write(buffer);
          }
          buffer.clear();
        }
      };

  /** Sends as long as anybody takes it. */
  static final Service FLOOD =
      channel -> {
        ByteBuffer buffer = ByteBuffer.allocate(32 * 1024);
        while (true) {
          buffer.clear();
          channel.write(buffer);
        }
      };

  private final ServerSocketChannel server;
  private final Service service;
  private final Thread accepting;

  UnixServer(Path path, Service service) throws IOException {
    server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    server.bind(UnixDomainSocketAddress.of(path), 1024);
    this.service = service;
    accepting = Thread.ofVirtual().start(this::accept);
  }

  private void accept() {
    try {
      while (true) {
        SocketChannel channel = server.accept();
        Thread.ofPlatform().daemon().start(() -> serve(channel));
      }
    } catch (IOException e) {
      // closed
    }
  }

  private void serve(SocketChannel channel) {
    try (channel) {
      service.serve(channel);
    } catch (IOException | InterruptedException e) {
      // the client had enough
    }
  }

  @Override
  public void close() throws IOException {
    server.close();
    try {
      // Only then the kernel's socket listens no more.
      accepting.join();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
