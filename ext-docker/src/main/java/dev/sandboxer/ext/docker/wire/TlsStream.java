package dev.sandboxer.ext.docker.wire;

import dev.sandboxer.spi.ByteStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;

/** A TLS connection. */
final class TlsStream implements ByteStream {

  private static final int COPY = 16 * 1024;
  private static final Pattern REFUSED =
      Pattern.compile(
          ".*fatal alert: (bad_certificate|certificate_\\w+|unsupported_certificate|unknown_ca|access_denied|handshake_failure|no_certificate).*");

  private final TlsRoute route;
  private final Socket raw;
  private final SSLSocket tls;
  private final InputStream in;
  private final OutputStream out;
  private volatile boolean answered;
  private volatile boolean closed;

  TlsStream(TlsRoute route, Socket raw, SSLSocket tls) throws IOException {
    this.route = route;
    this.raw = raw;
    this.tls = tls;
    this.in = tls.getInputStream();
    this.out = tls.getOutputStream();
  }

  /** Whether the server does not want to know us. */
  static boolean refused(IOException e) {
    return e instanceof SSLException && REFUSED.matcher(String.valueOf(e.getMessage())).matches();
  }

  @Override
  public int read(ByteBuffer target) throws IOException {
    byte[] bytes =
        target.hasArray() ? target.array() : new byte[Math.min(COPY, target.remaining())];
    int at = target.hasArray() ? target.arrayOffset() + target.position() : 0;
    int most = target.hasArray() ? target.remaining() : bytes.length;
    int count = some(bytes, at, most);
    if (count > 0 && target.hasArray()) {
      target.position(target.position() + count);
    } else if (count > 0) {
      target.put(bytes, 0, count);
    }
    return count;
  }

  private int some(byte[] bytes, int at, int most) throws IOException {
    try {
      int count = in.read(bytes, at, most);
      if (count < 0 && !answered && !closed) {
        throw route.closed(new EOFException("its end"), true);
      }
      answered = true;
      return count;
    } catch (IOException e) {
      throw typed(e);
    }
  }

  @Override
  public void write(ByteBuffer source) throws IOException {
    byte[] copy = new byte[Math.min(COPY, source.remaining())];
    try {
      while (source.hasRemaining()) {
        int part = Math.min(copy.length, source.remaining());
        source.get(copy, 0, part);
        out.write(copy, 0, part);
      }
      out.flush();
    } catch (IOException e) {
      throw typed(e);
    }
  }

  /** Before the first byte of an answer, an alert is about who we are. */
  private IOException typed(IOException e) {
    if (answered || closed) {
      return e;
    }
    if (refused(e)) {
      throw route.refusal(e);
    }
    if (e instanceof SocketException) {
      throw route.closed(e, true);
    }
    return e;
  }

  @Override
  public boolean closeOutput() throws IOException {
    tls.shutdownOutput();
    return true;
  }

  /** TLS would say goodbye first, and wait for whoever is writing. */
  @Override
  public void close() {
    closed = true;
    close(raw);
  }

  static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // There is nothing left to do with it.
    }
  }
}
