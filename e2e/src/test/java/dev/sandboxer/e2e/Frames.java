package dev.sandboxer.e2e;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/**
 * A WebSocket of the dataplane: JSON frames in order, and all output bytes. It is not the JDK's,
 * which loses what a server sends right after the handshake.
 */
final class Frames implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int TEXT = 1;
  private static final int CLOSE = 8;
  private static final int PING = 9;
  private static final int PONG = 10;

  private final Deque<JsonNode> waiting = new ArrayDeque<>();
  private final ByteArrayOutputStream output = new ByteArrayOutputStream();
  private final StringBuilder text = new StringBuilder();
  private final Socket socket;
  private final DataInputStream in;

  private Frames(Api.Dataplane inside, String path, String subprotocol) throws IOException {
    URI target = URI.create(inside.url() + path);
    socket = new Socket(InetAddress.getLoopbackAddress(), target.getPort());
    in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
    String query = target.getRawQuery() == null ? "" : "?" + target.getRawQuery();
    String head =
        """
        GET %s HTTP/1.1
        Host: %s
        Authorization: Bearer %s
        Connection: Upgrade
        Upgrade: websocket
        Sec-WebSocket-Version: 13
        Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==
        """
            .formatted(target.getRawPath() + query, target.getAuthority(), inside.api().key());
    if (!subprotocol.isEmpty()) {
      head += "Sec-WebSocket-Protocol: " + subprotocol + "\n";
    }
    socket
        .getOutputStream()
        .write((head + "\n").replace("\n", "\r\n").getBytes(StandardCharsets.US_ASCII));
    StringBuilder reply = new StringBuilder();
    while (reply.indexOf("\r\n\r\n") < 0) {
      reply.append((char) in.readUnsignedByte());
    }
    if (!reply.toString().startsWith("HTTP/1.1 101 ")) {
      throw new AssertionError(reply.toString());
    }
    var _ = Thread.ofVirtual().start(this::read);
  }

  static Frames open(Api.Dataplane inside, String path, String subprotocol) {
    try {
      return new Frames(inside, path, subprotocol);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void send(String frame) {
    try {
      write(TEXT, frame.getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A client must mask; a mask of zeros changes nothing. */
  private synchronized void write(int kind, byte[] content) throws IOException {
    ByteBuffer frame = ByteBuffer.allocate(content.length + 14);
    frame.put((byte) (0x80 | kind));
    if (content.length < 126) {
      frame.put((byte) (0x80 | content.length));
    } else {
      frame.put((byte) (0x80 | 127)).putLong(content.length);
    }
    frame.putInt(0).put(content);
    socket.getOutputStream().write(frame.array(), 0, frame.position());
  }

  /** Takes frames until one of this type. */
  JsonNode await(String type) {
    Awaitility.await("frame " + type).atMost(PATIENCE).until(() -> take(type) != null);
    synchronized (waiting) {
      return waiting.removeFirst();
    }
  }

  private @Nullable JsonNode take(String type) {
    synchronized (waiting) {
      while (!waiting.isEmpty() && !waiting.peekFirst().path("type").asText().equals(type)) {
        waiting.removeFirst();
      }
      return waiting.peekFirst();
    }
  }

  /** Waits until the output as text contains this. */
  void awaitText(String part) {
    Awaitility.await("output " + part)
        .atMost(PATIENCE)
        .until(
            () -> {
              synchronized (waiting) {
                return text.indexOf(part) >= 0;
              }
            });
  }

  byte[] output() {
    synchronized (waiting) {
      return output.toByteArray();
    }
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void read() {
    ByteArrayOutputStream message = new ByteArrayOutputStream();
    int kind = 0;
    try {
      while (true) {
        int first = in.readUnsignedByte();
        byte[] content = content();
        int opcode = first & 15;
        if (opcode == CLOSE) {
          return;
        }
        if (opcode == PING) {
          write(PONG, content);
        }
        if (opcode > CLOSE) {
          continue;
        }
        kind = opcode == 0 ? kind : opcode;
        message.writeBytes(content);
        if ((first & 0x80) != 0) {
          heard(kind, message.toByteArray());
          message.reset();
        }
      }
    } catch (IOException e) {
      // It is over; who still waits for a frame says so.
    }
  }

  private byte[] content() throws IOException {
    int length = in.readUnsignedByte();
    if (length == 126) {
      length = in.readUnsignedShort();
    } else if (length == 127) {
      length = Math.toIntExact(in.readLong());
    }
    return in.readNBytes(length);
  }

  private void heard(int kind, byte[] message) throws IOException {
    JsonNode frame = kind == TEXT ? Api.JSON.readTree(message) : null;
    synchronized (waiting) {
      if (frame == null) {
        output.write(message, 1, message.length - 1); // the first byte names the stream
        return;
      }
      waiting.add(frame);
      if (frame.path("type").asText().equals("stdout")) {
        text.append(frame.path("data").asText());
      }
    }
  }
}
