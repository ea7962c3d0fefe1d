package dev.sandboxer.platform.dataplane;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** A client that sends exactly the bytes it is given. */
final class RawClient implements AutoCloseable {

  private static final int PATIENCE_MILLIS = 60_000;

  private final Socket socket;
  private final InputStream in;

  RawClient(int port) throws IOException {
    socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(PATIENCE_MILLIS);
    in = socket.getInputStream();
  }

  RawClient send(String text) throws IOException {
    return send(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  RawClient send(byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
    socket.getOutputStream().flush();
    return this;
  }

  /** Reads up to and with the empty line. */
  String head() throws IOException {
    ByteArrayOutputStream head = new ByteArrayOutputStream();
    String text = "";
    while (!text.endsWith("\r\n\r\n")) {
      int b = in.read();
      if (b < 0) {
        return text;
      }
      head.write(b);
      text = head.toString(StandardCharsets.ISO_8859_1);
    }
    return text;
  }

  /** Reads what comes until the other side closes. */
  String rest() throws IOException {
    return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
  }

  byte[] read(int count) throws IOException {
    return in.readNBytes(count);
  }

  InputStream in() {
    return in;
  }

  Socket socket() {
    return socket;
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
