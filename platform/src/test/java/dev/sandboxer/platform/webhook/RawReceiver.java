package dev.sandboxer.platform.webhook;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A receiver that writes what it is told to, HTTP or not, after it has read one request. */
final class RawReceiver implements AutoCloseable {

  private static final byte[] FILL = "x".repeat(8192).getBytes(ISO_8859_1);

  private final ServerSocket server;
  private final byte[] answer;
  private final boolean endless;
  private final boolean silent;
  private final AtomicInteger calls = new AtomicInteger();
  private final ByteArrayOutputStream heard = new ByteArrayOutputStream();
  private final CompletableFuture<Long> cut = new CompletableFuture<>();

  private RawReceiver(String address, String answer, boolean endless, boolean silent)
      throws IOException {
    this.server = new ServerSocket(0, 16, InetAddress.ofLiteral(address));
    this.answer = answer.getBytes(ISO_8859_1);
    this.endless = endless;
    this.silent = silent;
    Thread.ofVirtual().start(this::serve);
  }

  /** Answers and closes. */
  static RawReceiver answering(String address, String answer) throws IOException {
    return new RawReceiver(address, answer, false, false);
  }

  /** Answers and goes on for ever. */
  static RawReceiver endless(String address, String answer) throws IOException {
    return new RawReceiver(address, answer, true, false);
  }

  /** Never answers. */
  static RawReceiver silent(String address) throws IOException {
    return new RawReceiver(address, "", false, true);
  }

  int port() {
    return server.getLocalPort();
  }

  int calls() {
    return calls.get();
  }

  String heard() {
    return heard.toString(ISO_8859_1);
  }

  /** Waits until the other side has ended the connection; returns how much was written after. */
  long awaitCut() throws InterruptedException {
    try {
      return cut.get(30, TimeUnit.SECONDS);
    } catch (java.util.concurrent.ExecutionException | java.util.concurrent.TimeoutException e) {
      throw new AssertionError("the connection was not ended", e);
    }
  }

  private void serve() {
    while (!server.isClosed()) {
      try {
        Socket socket = server.accept();
        calls.incrementAndGet();
        Thread.ofVirtual().start(() -> answer(socket));
      } catch (IOException e) {
        return;
      }
    }
  }

  private void answer(Socket socket) {
    try (socket) {
      InputStream in = socket.getInputStream();
      byte[] bytes = new byte[8192];
      int read;
      do {
        read = in.read(bytes);
        heard.write(bytes, 0, Math.max(0, read));
      } while (read > 0 && heard().startsWith("POST") && !heard().contains("}"));
      OutputStream out = socket.getOutputStream();
      out.write(answer);
      out.flush();
      if (endless) {
        pour(out);
      } else if (silent) {
        cut.complete((long) Math.max(0, in.read()));
      }
    } catch (IOException e) {
      cut.complete(0L);
    }
  }

  private void pour(OutputStream out) {
    long written = 0;
    try {
      while (true) {
        out.write(FILL);
        written += FILL.length;
      }
    } catch (IOException e) {
      cut.complete(written);
    }
  }

  @Override
  public void close() throws IOException {
    server.close();
  }
}
