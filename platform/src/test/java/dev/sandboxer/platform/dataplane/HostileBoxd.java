package dev.sandboxer.platform.dataplane;

import dev.sandboxer.spi.DataplaneAddress;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** Stands where boxd would: reads one head a connection, then does as the script says. */
final class HostileBoxd implements AutoCloseable {

  private final Path folder;
  private final ServerSocketChannel server;
  private final Script script;
  private final List<String> heads = new CopyOnWriteArrayList<>();
  private final AtomicInteger connections = new AtomicInteger();
  private final AtomicInteger ended = new AtomicInteger();

  /** What to do after a request's head. The connection is closed when it returns. */
  @FunctionalInterface
  interface Script {
    void answer(InputStream in, OutputStream out) throws IOException;
  }

  HostileBoxd(Script script) throws IOException {
    this.script = script;
    folder = Files.createTempDirectory("hst");
    server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    server.bind(UnixDomainSocketAddress.of(folder.resolve("s")), 1024);
    Thread.ofPlatform().daemon().start(this::accept);
  }

  /** Answers with these bytes and waits for the other side to close. */
  static HostileBoxd answering(String bytes) throws IOException {
    return new HostileBoxd(
        (in, out) -> {
          out.write(bytes.getBytes(StandardCharsets.ISO_8859_1));
          in.transferTo(OutputStream.nullOutputStream());
        });
  }

  /** Answers each request with these bytes, many on one connection. */
  static HostileBoxd serving(String bytes) throws IOException {
    return new HostileBoxd(
        (in, out) -> {
          do {
            out.write(bytes.getBytes(StandardCharsets.ISO_8859_1));
          } while (!head(in).isEmpty());
        });
  }

  DataplaneAddress address() {
    return new DataplaneAddress.UnixSocket(folder.resolve("s"));
  }

  List<String> heads() {
    return heads;
  }

  int connections() {
    return connections.get();
  }

  /** Connections whose script has come to its end. */
  int ended() {
    return ended.get();
  }

  private void accept() {
    try {
      while (true) {
        SocketChannel channel = server.accept();
        connections.incrementAndGet();
        Thread.ofPlatform().daemon().start(() -> serve(channel));
      }
    } catch (IOException closed) {
      // The test is over.
    }
  }

  private void serve(SocketChannel channel) {
    try (channel) {
      InputStream in = Channels.newInputStream(channel);
      heads.add(head(in));
      script.answer(in, Channels.newOutputStream(channel));
    } catch (IOException gone) {
      // The relay closed the connection, as it should on most of what is done here.
    } finally {
      ended.incrementAndGet();
    }
  }

  private static String head(InputStream in) throws IOException {
    StringBuilder head = new StringBuilder();
    while (!head.toString().endsWith("\r\n\r\n")) {
      int b = in.read();
      if (b < 0) {
        throw new IOException("closed within the head");
      }
      head.append((char) b);
    }
    return head.toString();
  }

  @Override
  public void close() throws IOException {
    server.close();
    Files.deleteIfExists(folder.resolve("s"));
    Files.delete(folder);
  }
}
