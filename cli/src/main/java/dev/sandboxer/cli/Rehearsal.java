package dev.sandboxer.cli;

import dev.sandboxer.dataplane.Dataplane;
import dev.sandboxer.dataplane.DataplaneException;
import dev.sandboxer.dataplane.exec.CapturedOutput;
import dev.sandboxer.dataplane.exec.CommandRequest;
import dev.sandboxer.dataplane.exec.Commands;
import dev.sandboxer.dataplane.file.SandboxFiles;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One HTTP answer and a short talk over a WebSocket, both with a socket of this very process: loads
 * what a real call needs.
 */
final class Rehearsal {
  private static final String NOT_FOUND = "{\"error\":{\"code\":\"NOT_FOUND\"}}";
  private static final String ANSWER =
      "HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: "
          + NOT_FOUND.length()
          + "\r\n\r\n"
          + NOT_FOUND;
  private static final String SWITCH =
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Protocol: sandboxer.v1.binary\r\nSec-WebSocket-Accept: ";
  private static final Pattern KEY = Pattern.compile("(?i)Sec-WebSocket-Key: *(\\S+)");
  private static final String ACCEPT = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"; // RFC 6455, 1.3
  private static final int TEXT = 0x81;
  private static final byte[] OUTPUT = {(byte) 0x82, 1, 1};

  private Rehearsal() {}

  static void socket(Context context) throws InterruptedException {
    try (ServerSocket server = new ServerSocket(0, 2, InetAddress.getLoopbackAddress())) {
      Thread.ofPlatform().daemon().start(() -> answer(server));
      URI place = URI.create("http://127.0.0.1:" + server.getLocalPort());
      Dataplane nobody = Dataplane.of(context.connections(), place, "rehearsal");
      var _ = new SandboxFiles(nobody).stat("file");
      var _ = new Commands(nobody).run(CommandRequest.of("true"), new CapturedOutput(1));
    } catch (IOException | DataplaneException e) {
      // a rehearsal that cannot be held leaves the cache a little smaller
    }
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
        socket.getOutputStream().write(text("{\"type\":\"ready\"}"));
        socket.getOutputStream().write(OUTPUT);
        socket.getOutputStream().write(text("{\"type\":\"exit\",\"exit_code\":0}"));
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

  private static byte[] text(String text) {
    byte[] payload = text.getBytes(StandardCharsets.US_ASCII);
    return ByteBuffer.allocate(payload.length + 2)
        .put((byte) TEXT)
        .put((byte) payload.length)
        .put(payload)
        .array();
  }
}
