package dev.sandboxer.bench.http;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Answers every request that ends in an empty line with the same pieces, each written on its own.
 */
final class Server implements AutoCloseable {

  private final Path socket;
  private final ServerSocketChannel listener;
  private final String[] pieces;

  Server(String... pieces) throws IOException {
    this.socket = Files.createTempDirectory("sbxbt").resolve("s");
    this.pieces = pieces;
    this.listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    listener.bind(UnixDomainSocketAddress.of(socket));
    Thread.ofVirtual().start(this::accept);
  }

  Endpoint endpoint() {
    return Endpoint.unix(socket, "/v1", "t");
  }

  private void accept() {
    try {
      while (true) {
        SocketChannel channel = listener.accept();
        Thread.ofVirtual().start(() -> serve(channel));
      }
    } catch (IOException e) {
      return; // closed
    }
  }

  private void serve(SocketChannel channel) {
    ByteBuffer bytes = ByteBuffer.allocate(1 << 16);
    try (channel) {
      while (channel.read(bytes) >= 0) {
        if (new String(bytes.array(), 0, bytes.position(), StandardCharsets.UTF_8)
            .endsWith("\r\n\r\n")) {
          answer(channel);
          bytes.clear();
        }
      }
    } catch (IOException e) {
      return; // the client has gone
    }
  }

  private void answer(SocketChannel channel) throws IOException {
    for (String piece : pieces) {
      ByteBuffer bytes = ByteBuffer.wrap(piece.getBytes(StandardCharsets.UTF_8));
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
    }
    if (!String.join("", pieces).contains("\r\n\r\n")) {
      channel.close();
    }
  }

  @Override
  public void close() throws IOException {
    listener.close();
    Files.delete(socket);
    Files.delete(socket.getParent());
  }
}
