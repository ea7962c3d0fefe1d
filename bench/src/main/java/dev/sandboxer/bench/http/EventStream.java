package dev.sandboxer.bench.http;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;

/** Server-Sent Events on a connection of their own. */
public final class EventStream implements AutoCloseable {

  private static final int BUFFER_BYTES = 4096;
  private static final int HEXADECIMAL = 16;
  private static final String DATA = "data:";

  private final SocketChannel channel;
  private final InputStream in;
  private long left;

  private EventStream(SocketChannel channel) {
    this.channel = channel;
    this.in = new BufferedInputStream(Channels.newInputStream(channel), BUFFER_BYTES);
  }

  /** Opens one; returns once the server follows, which it says by a comment. */
  public static EventStream open(Endpoint endpoint, String path) throws IOException {
    SocketChannel channel = SocketChannel.open(endpoint.address());
    try {
      ByteBuffer request = endpoint.get(path, "Accept: text/event-stream");
      while (request.hasRemaining()) {
        channel.write(request);
      }
      EventStream stream = new EventStream(channel);
      stream.head();
      while (!stream.line().startsWith(":")) {
        // Not yet.
      }
      return stream;
    } catch (IOException e) {
      channel.close();
      throw e;
    }
  }

  /** The next event's data; comments are passed over. */
  public String next() throws IOException {
    String data = "";
    while (true) {
      String line = line();
      if (line.startsWith(DATA)) {
        data = line.substring(DATA.length()).strip();
      } else if (line.isEmpty() && !data.isEmpty()) {
        return data;
      }
    }
  }

  private void head() throws IOException {
    String status = raw();
    if (!status.startsWith("HTTP/1.1 200 ")) {
      throw new IOException("not a stream of events: " + status);
    }
    while (!raw().isEmpty()) {
      // What it says is known.
    }
  }

  /** A line of the body. */
  private String line() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (int next = body(); next != '\n'; next = body()) {
      bytes.write(next);
    }
    return bytes.toString(StandardCharsets.UTF_8).strip();
  }

  private int body() throws IOException {
    if (left == 0) {
      left = Long.parseLong(raw(), HEXADECIMAL);
    }
    int next = read();
    left--;
    if (left == 0) {
      var _ = raw();
    }
    return next;
  }

  /** A line as it stands on the wire. */
  private String raw() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (int next = read(); next != '\n'; next = read()) {
      bytes.write(next);
    }
    return bytes.toString(StandardCharsets.US_ASCII).strip();
  }

  private int read() throws IOException {
    int next = in.read();
    if (next < 0) {
      throw new EOFException("the stream was closed");
    }
    return next;
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
