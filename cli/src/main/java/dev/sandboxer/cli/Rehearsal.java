package dev.sandboxer.cli;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;

/**
 * One HTTP answer and one refused WebSocket, from a socket of this very process: loads what a real
 * call needs.
 */
final class Rehearsal {
  private static final String ANSWER =
      "HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}";

  private Rehearsal() {}

  static void socket(Context context) throws InterruptedException {
    try (ServerSocket server = new ServerSocket(0, 2, InetAddress.getLoopbackAddress())) {
      Thread.ofPlatform().daemon().start(() -> answer(server));
      URI place = URI.create("http://127.0.0.1:" + server.getLocalPort());
      HttpClient http = context.http().of(place);
      String body =
          http.send(HttpRequest.newBuilder(place).build(), BodyHandlers.ofString()).body();
      context.json().readTree(body);
      http.newWebSocketBuilder()
          .buildAsync(URI.create("ws://" + place.getAuthority()), new WebSocket.Listener() {})
          .exceptionally(error -> null)
          .join();
    } catch (IOException e) {
      // a rehearsal that cannot be held leaves the cache a little smaller
    }
  }

  private static void answer(ServerSocket server) {
    try {
      for (int count = 0; count < 2; count++) {
        try (Socket socket = server.accept()) {
          int _ = socket.getInputStream().read(new byte[4096]);
          socket.getOutputStream().write(ANSWER.getBytes(StandardCharsets.US_ASCII));
        }
      }
    } catch (IOException e) {
      // the other side notices
    }
  }
}
