package dev.sandboxer.ext.docker;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A port that speaks plain HTTP, as an Engine without TLS. */
final class PlainDoor implements AutoCloseable {

  private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  private final List<String> received = new CopyOnWriteArrayList<>();

  PlainDoor() throws IOException {
    Thread.ofVirtual().start(this::accept);
  }

  int port() {
    return server.getLocalPort();
  }

  String received() {
    return String.join("", received);
  }

  private void accept() {
    try {
      while (true) {
        try (Socket client = server.accept()) {
          byte[] bytes = new byte[16];
          int count = client.getInputStream().read(bytes);
          received.add(new String(bytes, 0, Math.max(count, 0), StandardCharsets.ISO_8859_1));
          client
              .getOutputStream()
              .write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        }
      }
    } catch (IOException e) {
      // closed
    }
  }

  @Override
  public void close() throws IOException {
    server.close();
  }
}
