package dev.sandboxer.platform.dataplane;

import dev.sandboxer.spi.DataplaneAddress;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;

/** Ends TLS in front of a boxd that listens on a Unix socket. */
final class TlsFront implements AutoCloseable {

  private static final int BLOCK = 64 * 1024;

  private final SSLServerSocket listening;
  private final Path boxd;

  TlsFront(BoxdCertificates.Pair pair, Path boxd) throws IOException {
    this.listening = HostileBoxd.listening(TestCertificates.server(pair));
    this.boxd = boxd;
    Thread.ofPlatform().daemon().start(this::accept);
  }

  DataplaneAddress address() {
    return Via.TLS.address(listening.getLocalSocketAddress());
  }

  private void accept() {
    try {
      while (true) {
        SSLSocket client = (SSLSocket) listening.accept();
        Thread.ofPlatform().daemon().start(() -> carry(client));
      }
    } catch (IOException closed) {
      // The test is over.
    }
  }

  private void carry(SSLSocket client) {
    try (client;
        SocketChannel inside = SocketChannel.open(UnixDomainSocketAddress.of(boxd))) {
      Thread replies = Thread.ofPlatform().daemon().start(() -> replies(inside, client));
      requests(client.getInputStream(), inside);
      inside.shutdownOutput();
      replies.join();
    } catch (IOException gone) {
      // One side has closed, and this closes the other one.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void requests(InputStream from, SocketChannel to) throws IOException {
    byte[] block = new byte[BLOCK];
    for (int count = from.read(block); count >= 0; count = from.read(block)) {
      ByteBuffer bytes = ByteBuffer.wrap(block, 0, count);
      while (bytes.hasRemaining()) {
        to.write(bytes);
      }
    }
  }

  /** What it sends ends with the connection: boxd closes both halves of its own. */
  private static void replies(SocketChannel from, SSLSocket to) {
    ByteBuffer block = ByteBuffer.allocate(BLOCK);
    try (to) {
      OutputStream out = to.getOutputStream();
      while (from.read(block.clear()) >= 0) {
        out.write(block.array(), 0, block.position());
      }
    } catch (IOException gone) {
      // As above.
    }
  }

  @Override
  public void close() throws IOException {
    listening.close();
  }
}
