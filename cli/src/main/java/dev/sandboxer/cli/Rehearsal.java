package dev.sandboxer.cli;

import dev.sandboxer.cli.websocket.Listener;
import dev.sandboxer.cli.websocket.WebSocket;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One HTTP answer and a short talk over a WebSocket, both with a socket of this very process: loads
 * what a real call needs.
 */
final class Rehearsal {
  private static final String ANSWER =
      "HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}";
  private static final String SWITCH =
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ";
  private static final Pattern KEY = Pattern.compile("(?i)Sec-WebSocket-Key: *(\\S+)");
  private static final String ACCEPT = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"; // RFC 6455, 1.3
  private static final byte[] FRAMES = {
    (byte) 0x82, 1, 1, (byte) 0x81, 2, '{', '}', (byte) 0x88, 0
  };

  private Rehearsal() {}

  static void socket(Context context) throws InterruptedException {
    try (ServerSocket server = new ServerSocket(0, 2, InetAddress.getLoopbackAddress())) {
      Thread.ofPlatform().daemon().start(() -> answer(server));
      URI place = URI.create("http://127.0.0.1:" + server.getLocalPort());
      HttpClient http = context.http().of(place);
      String body =
          http.send(HttpRequest.newBuilder(place).build(), BodyHandlers.ofString()).body();
      context.json().readTree(body);
      talk(context, URI.create("ws://" + place.getAuthority()));
    } catch (IOException e) {
      // a rehearsal that cannot be held leaves the cache a little smaller
    }
  }

  private static void talk(Context context, URI place) throws IOException, InterruptedException {
    Audience audience = new Audience();
    WebSocket socket = context.webSockets().open(place, Map.of(), "", audience);
    socket.text("{}");
    socket.binary(new byte[1]);
    audience.end.join();
    socket.abort();
  }

  private static void answer(ServerSocket server) {
    try {
      try (Socket socket = server.accept()) {
        String _ = request(socket);
        socket.getOutputStream().write(ANSWER.getBytes(StandardCharsets.US_ASCII));
      }
      try (Socket socket = server.accept()) {
        String answer = SWITCH + accept(request(socket)) + "\r\n\r\n";
        socket.getOutputStream().write(answer.getBytes(StandardCharsets.US_ASCII));
        socket.getOutputStream().write(FRAMES);
        socket.getInputStream().transferTo(java.io.OutputStream.nullOutputStream());
      }
    } catch (IOException | NoSuchAlgorithmException e) {
      // the other side notices
    }
  }

  private static String request(Socket socket) throws IOException {
    InputStream in = socket.getInputStream();
    byte[] head = new byte[4096];
    int count = in.read(head);
    return new String(head, 0, Math.max(0, count), StandardCharsets.ISO_8859_1);
  }

  private static String accept(String request) throws NoSuchAlgorithmException {
    Matcher key = KEY.matcher(request);
    String text = (key.find() ? key.group(1) : "") + ACCEPT;
    byte[] sum =
        MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.US_ASCII));
    return Base64.getEncoder().encodeToString(sum);
  }

  private static final class Audience implements Listener {
    final CompletableFuture<Boolean> end = new CompletableFuture<>();

    @Override
    public boolean onText(ByteBuffer part, boolean last) {
      return true;
    }

    @Override
    public boolean onBinary(ByteBuffer part, boolean last) {
      return true;
    }

    @Override
    public void onClose(int status, String reason) {
      end.complete(true);
    }

    @Override
    public void onError(Throwable error) {
      end.complete(false);
    }
  }
}
