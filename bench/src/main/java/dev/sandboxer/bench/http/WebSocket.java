package dev.sandboxer.bench.http;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;

/** A WebSocket with the dataplane's binary subprotocol; frames are written and read by hand. */
public final class WebSocket implements AutoCloseable {

  /** A text frame's kind. */
  public static final int TEXT = 1;

  /** A binary frame's kind. */
  public static final int BINARY = 2;

  private static final int CLOSE = 8;
  private static final int BUFFER_BYTES = 1 << 20;
  private static final int SWITCHING = 101;

  private final SocketChannel channel;
  private final ByteBuffer in;
  private long left;

  private WebSocket(SocketChannel channel, int bufferBytes) {
    this.channel = channel;
    this.in = ByteBuffer.allocateDirect(bufferBytes);
  }

  /** Opens one with a large buffer. */
  public static WebSocket open(Endpoint endpoint, String path) throws IOException {
    return open(endpoint, path, BUFFER_BYTES);
  }

  /** Opens one with a buffer of this size. */
  public static WebSocket open(Endpoint endpoint, String path, int bufferBytes) throws IOException {
    SocketChannel channel = SocketChannel.open(endpoint.address());
    WebSocket socket = new WebSocket(channel, bufferBytes);
    socket.write(endpoint.upgrade(path));
    Head head = null;
    while (head == null) {
      socket.read();
      head = Head.parse(socket.in);
    }
    if (head.status() != SWITCHING) {
      channel.close();
      throw new IOException("status " + head.status() + ", wanted 101");
    }
    socket.in.flip().position(head.length());
    return socket;
  }

  /** Sends a text frame of up to 65,535 bytes. */
  public void text(String text) throws IOException {
    send(TEXT, text.getBytes(StandardCharsets.UTF_8));
  }

  /** Sends a byte of input. */
  public void input(byte one) throws IOException {
    send(BINARY, new byte[] {0, one});
  }

  private void send(int opcode, byte[] payload) throws IOException {
    ByteBuffer frame = ByteBuffer.allocate(payload.length + 8);
    frame.put((byte) (0x80 | opcode));
    if (payload.length < 126) {
      frame.put((byte) (0x80 | payload.length));
    } else {
      frame.put((byte) (0x80 | 126)).putShort((short) payload.length);
    }
    write(frame.putInt(0).put(payload).flip());
  }

  /** Waits for the next frame; what is left of the one before is thrown away. Returns its kind. */
  public int next() throws IOException {
    skip();
    need(2);
    int opcode = in.get() & 0x0f;
    left = in.get() & 0x7f;
    if (left == 126) {
      need(2);
      left = in.getShort() & 0xffff;
    } else if (left == 127) {
      need(8);
      left = in.getLong();
    }
    if (opcode == CLOSE) {
      throw new EOFException("the WebSocket was closed");
    }
    return opcode;
  }

  /** Bytes of this frame's payload that were not read yet. */
  public long left() {
    return left;
  }

  /** The rest of this frame's payload. */
  public String text() throws IOException {
    need((int) left);
    byte[] bytes = new byte[(int) left];
    in.get(bytes);
    left = 0;
    return new String(bytes, StandardCharsets.UTF_8);
  }

  /** Waits for a frame whose text, or bytes, hold these words. */
  public void await(String words) throws IOException {
    String said = "";
    while (!said.contains(words)) {
      var _ = next();
      said = text();
      if (said.contains("\"type\":\"error\"")) {
        throw new IOException(said);
      }
    }
  }

  private void skip() throws IOException {
    while (left > 0) {
      if (!in.hasRemaining()) {
        more();
      }
      int step = (int) Math.min(left, in.remaining());
      in.position(in.position() + step);
      left -= step;
    }
  }

  private void need(int bytes) throws IOException {
    while (in.remaining() < bytes) {
      more();
    }
  }

  private void more() throws IOException {
    in.compact();
    read();
    in.flip();
  }

  private void read() throws IOException {
    if (channel.read(in) < 0) {
      throw new EOFException("the connection was closed");
    }
  }

  private void write(ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      channel.write(bytes);
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
