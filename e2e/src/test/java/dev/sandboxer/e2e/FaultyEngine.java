package dev.sandboxer.e2e;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Stands between the platform and an engine, and fails as a test asks it to. */
final class FaultyEngine implements AutoCloseable {

  private static final int BUFFER = 16 * 1024;

  private final Engine engine;
  private final Path folder;
  private final Path socket;
  private ServerSocketChannel server;
  private volatile @Nullable Fault fault;

  /** What happens to the first request that begins so and has this in its path. */
  private record Fault(String method, String path, When when, CompletableFuture<String> reached) {

    boolean meets(String head) {
      String line = head.substring(0, head.indexOf("\r\n"));
      return line.startsWith(method + " ") && line.contains(path);
    }
  }

  /** Where the engine dies, or falls silent. */
  enum When {
    /** The request never arrives. */
    BEFORE,
    /** It was done, and nobody hears of it. */
    AFTER,
    /** No answer, and no end either. */
    SILENT
  }

  FaultyEngine(Engine engine) throws IOException {
    this.engine = engine;
    this.folder = Files.createTempDirectory("sbxf");
    this.socket = folder.resolve("docker.sock");
    this.server = listen();
  }

  String host() {
    return "unix://" + socket;
  }

  /** From this request on nobody answers, until it is mended; completes when it was met. */
  CompletableFuture<String> dies(When when, String method, String path) {
    Fault next = new Fault(method, path, when, new CompletableFuture<>());
    fault = next;
    return next.reached();
  }

  /** Nobody listens any more. */
  void stop() {
    try {
      server.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** And there is no socket either. */
  void vanish() throws IOException {
    stop();
    Files.deleteIfExists(socket);
  }

  /** It answers again. */
  void mend() throws IOException {
    fault = null;
    vanish();
    server = listen();
  }

  private ServerSocketChannel listen() throws IOException {
    ServerSocketChannel listening = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    listening.bind(UnixDomainSocketAddress.of(socket));
    Thread.startVirtualThread(() -> accept(listening));
    return listening;
  }

  private void accept(ServerSocketChannel listening) {
    while (listening.isOpen()) {
      try {
        SocketChannel client = listening.accept();
        Thread.startVirtualThread(() -> serve(client));
      } catch (IOException e) {
        return; // it was stopped
      }
    }
  }

  private void serve(SocketChannel client) {
    try (client;
        SocketChannel upstream = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      String head = head(client);
      Fault met = fault;
      boolean hit = met != null && head.contains("\r\n") && met.meets(head);
      if (met != null && hit && met.when() != When.AFTER) {
        fail(met, head);
        return;
      }
      if (!upstream.connect(UnixDomainSocketAddress.of(engine.socket()))) {
        throw new IOException("not connected");
      }
      write(upstream, ByteBuffer.wrap(head.getBytes(StandardCharsets.ISO_8859_1)));
      Thread.startVirtualThread(() -> pump(client, upstream));
      ByteBuffer first = ByteBuffer.allocate(BUFFER);
      if (upstream.read(first) > 0) {
        if (met != null && hit) {
          fail(met, head);
          return;
        }
        write(client, first.flip());
        pump(upstream, client);
      }
    } catch (IOException e) {
      // Either side may end at any time.
    }
  }

  /** The connection ends with the caller's return. */
  private void fail(Fault met, String head) throws IOException {
    if (met.when() == When.SILENT) {
      met.reached().complete(head);
      try {
        Thread.sleep(java.time.Duration.ofMinutes(5)); // longer than anybody waits
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      return;
    }
    server.close();
    met.reached().complete(head);
  }

  /** The request's head and whatever of its body came with it. */
  private static String head(SocketChannel client) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    ByteBuffer buffer = ByteBuffer.allocate(BUFFER);
    while (!bytes.toString(StandardCharsets.ISO_8859_1).contains("\r\n\r\n")) {
      buffer.clear();
      if (client.read(buffer) < 0) {
        break;
      }
      bytes.write(buffer.array(), 0, buffer.position());
    }
    return bytes.toString(StandardCharsets.ISO_8859_1);
  }

  private static void pump(SocketChannel from, SocketChannel to) {
    ByteBuffer buffer = ByteBuffer.allocate(BUFFER);
    try {
      while (from.read(buffer.clear()) >= 0) {
        write(to, buffer.flip());
      }
      to.shutdownOutput();
    } catch (IOException e) {
      // Either side may end at any time.
    }
  }

  private static void write(SocketChannel to, ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      if (to.write(bytes) < 0) {
        throw new IOException("closed");
      }
    }
  }

  @Override
  public void close() throws IOException {
    vanish();
    Files.delete(folder);
  }
}
