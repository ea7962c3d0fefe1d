package dev.sandboxer.testing.sandbox;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A server of the dataplane's WebSockets that says whatever a script makes it say. */
public final class LyingSandbox implements AutoCloseable {
  private static final Pattern KEY = Pattern.compile("(?i)Sec-WebSocket-Key: *(\\S+)");
  private static final String MAGIC = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
  private static final int FIN = 0x80;

  /** What to do after a request's head; the connection is closed when it returns. */
  @FunctionalInterface
  public interface Script {
    void answer(Line line) throws IOException;
  }

  private final ServerSocket server;
  private final Script script;
  private final List<String> heads = new CopyOnWriteArrayList<>();
  private final AtomicLong written = new AtomicLong();

  public LyingSandbox(Script script) throws IOException {
    this(script, new ServerSocket(0, 50, InetAddress.getLoopbackAddress()));
  }

  /** One that listens here, with TLS perhaps. */
  public LyingSandbox(Script script, ServerSocket server) {
    this.script = script;
    this.server = server;
    Thread.ofVirtual().start(this::accept);
  }

  /** Accepts the WebSocket as one must, then sends these bytes and holds the line. */
  public static LyingSandbox sending(byte[]... frames) throws IOException {
    return new LyingSandbox(
        line -> {
          line.accept();
          for (byte[] frame : frames) {
            line.send(frame);
          }
          line.hold();
        });
  }

  /** Answers the request with these bytes and holds the line. */
  public static LyingSandbox answering(String text) throws IOException {
    return new LyingSandbox(
        line -> {
          line.send(text.getBytes(StandardCharsets.ISO_8859_1));
          line.hold();
        });
  }

  /** The port it listens on. */
  public int port() {
    return server.getLocalPort();
  }

  /** Where the WebSockets of a sandbox are, for a grant. */
  public String webSocketUrl(String sandbox) {
    return "ws://127.0.0.1:" + server.getLocalPort() + "/dp/" + sandbox + "/v1";
  }

  /** Heads of the requests that came. */
  public List<String> heads() {
    return heads;
  }

  /** Bytes that it could send so far. */
  public long written() {
    return written.get();
  }

  /** A frame with text. */
  public static byte[] text(String text) {
    return frame(FIN | 1, text.getBytes(StandardCharsets.UTF_8));
  }

  /** A frame with output: 1 is standard output, 2 standard error. */
  public static byte[] output(int channel, String text) {
    return frame(FIN | 2, ((char) channel + text).getBytes(StandardCharsets.ISO_8859_1));
  }

  /** Any frame, by its first byte. */
  public static byte[] frame(int first, byte[] payload) {
    try (ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeByte(first);
      if (payload.length < 126) {
        out.writeByte(payload.length);
      } else if (payload.length < 1 << 16) {
        out.writeByte(126);
        out.writeShort(payload.length);
      } else {
        out.writeByte(127);
        out.writeLong(payload.length);
      }
      out.write(payload);
      return bytes.toByteArray();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private void accept() {
    try {
      while (true) {
        Socket socket = server.accept();
        Thread.ofVirtual().start(() -> serve(socket));
      }
    } catch (IOException e) {
      // closed
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      Line line = new Line(socket.getInputStream(), socket.getOutputStream(), written);
      heads.add(line.head());
      script.answer(line);
    } catch (IOException e) {
      // the client had enough
    }
  }

  @Override
  public void close() throws IOException {
    server.close();
  }

  /** One connection. */
  public static final class Line {
    private final InputStream in;
    private final OutputStream out;
    private final AtomicLong written;
    private String head = "";

    Line(InputStream in, OutputStream out, AtomicLong written) {
      this.in = in;
      this.out = out;
      this.written = written;
    }

    String head() throws IOException {
      StringBuilder read = new StringBuilder();
      while (read.indexOf("\r\n\r\n") < 0) {
        int next = in.read();
        if (next < 0) {
          throw new IOException("no head");
        }
        read.append((char) next);
      }
      head = read.toString();
      return head;
    }

    /** The head of the request, as it came. */
    public String request() {
      return head;
    }

    /** Answers the request with a status and JSON, after which the connection ends. */
    public void json(int status, String body) throws IOException {
      byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
      String answer =
          "HTTP/1.1 %d So\r\nConnection: close\r\nContent-Length: %d\r\n\r\n"
              .formatted(status, bytes.length);
      send(answer.getBytes(StandardCharsets.US_ASCII));
      send(bytes);
    }

    /** The payload of the next frame that the client sends, of less than 64 KiB. */
    public String frame() throws IOException {
      DataInputStream data = new DataInputStream(in);
      data.skipNBytes(1);
      int length = data.readUnsignedByte() & 0x7f;
      byte[] mask = new byte[4];
      byte[] payload = new byte[length == 126 ? data.readUnsignedShort() : length];
      data.readFully(mask);
      data.readFully(payload);
      for (int i = 0; i < payload.length; i++) {
        payload[i] ^= mask[i % mask.length];
      }
      return new String(payload, StandardCharsets.UTF_8);
    }

    /** Switches to WebSocket frames. */
    public void accept() throws IOException {
      Matcher key = KEY.matcher(head);
      if (!key.find()) {
        throw new IOException("no WebSocket: " + head);
      }
      String protocol = head.contains("sandboxer.v1.binary") ? "sandboxer.v1.binary" : "";
      send(
          ("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                  + "Sec-WebSocket-Accept: "
                  + sum(key.group(1) + MAGIC)
                  + (protocol.isEmpty() ? "" : "\r\nSec-WebSocket-Protocol: " + protocol)
                  + "\r\n\r\n")
              .getBytes(StandardCharsets.ISO_8859_1));
    }

    /** Sends bytes. */
    public void send(byte[] bytes) throws IOException {
      out.write(bytes);
      out.flush();
      written.addAndGet(bytes.length);
    }

    /** Waits until the client goes; how many bytes it sent. */
    public long hold() throws IOException {
      return in.transferTo(OutputStream.nullOutputStream());
    }

    private static String sum(String text) {
      try {
        byte[] sum =
            MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.US_ASCII));
        return Base64.getEncoder().encodeToString(sum);
      } catch (NoSuchAlgorithmException e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
