package dev.sandboxer.platform.dataplane;

import dev.sandboxer.spi.DataplaneAddress;
import java.io.Closeable;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
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
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;

/** Stands where boxd would: reads one head a connection, then does as the script says. */
final class HostileBoxd implements AutoCloseable {

  private static final int BACKLOG = 1024;

  private final Path folder;
  private final Server server;
  private final DataplaneAddress address;
  private final Script script;
  private final List<String> heads = new CopyOnWriteArrayList<>();
  private final AtomicInteger connections = new AtomicInteger();
  private final AtomicInteger ended = new AtomicInteger();

  /**
   * What to do after a request's head. Closing {@code out} ends this side's sending alone. The
   * connection is closed when it returns.
   */
  @FunctionalInterface
  interface Script {
    void answer(InputStream in, OutputStream out) throws IOException;
  }

  private interface Server extends Closeable {
    Line accept() throws IOException;
  }

  private record Line(InputStream in, OutputStream out, Closeable all) {}

  HostileBoxd(Script script) throws IOException {
    this(Via.UNIX, script);
  }

  HostileBoxd(Via via, Script script) throws IOException {
    this(via, 1, script);
  }

  HostileBoxd(Via via, int generation, Script script) throws IOException {
    this.script = script;
    folder = Files.createTempDirectory("hst");
    if (via == Via.TLS) {
      BoxdCertificates.Pair pair = TestCertificates.ALL.pair(RelayHarness.ID, generation);
      SSLServerSocket listening = listening(TestCertificates.server(pair));
      server = encrypted(listening);
      address = via.address(listening.getLocalSocketAddress());
    } else {
      UnixDomainSocketAddress socket = UnixDomainSocketAddress.of(folder.resolve("s"));
      ServerSocketChannel listening = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
      listening.bind(socket, BACKLOG);
      server = plain(listening);
      address = via.address(socket);
    }
    Thread.ofPlatform().daemon().start(this::accept);
  }

  /** One that shows another certificate, or speaks other TLS. */
  HostileBoxd(SSLServerSocket listening, DataplaneAddress address, Script script)
      throws IOException {
    this.script = script;
    this.address = address;
    folder = Files.createTempDirectory("hst");
    server = encrypted(listening);
    Thread.ofPlatform().daemon().start(this::accept);
  }

  static SSLServerSocket listening(SSLContext tls) throws IOException {
    return (SSLServerSocket)
        tls.getServerSocketFactory()
            .createServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
  }

  private static Server encrypted(SSLServerSocket listening) {
    return new Server() {
      @Override
      public Line accept() throws IOException {
        SSLSocket socket = (SSLSocket) listening.accept();
        InputStream in = socket.getInputStream();
        return new Line(in, ending(socket.getOutputStream(), socket::shutdownOutput), socket);
      }

      @Override
      public void close() throws IOException {
        listening.close();
      }
    };
  }

  private static Server plain(ServerSocketChannel listening) {
    return new Server() {
      @Override
      public Line accept() throws IOException {
        SocketChannel channel = listening.accept();
        InputStream in = Channels.newInputStream(channel);
        OutputStream out = Channels.newOutputStream(channel);
        return new Line(in, ending(out, channel::shutdownOutput), channel);
      }

      @Override
      public void close() throws IOException {
        listening.close();
      }
    };
  }

  private static OutputStream ending(OutputStream out, Closeable halfClose) {
    return new FilterOutputStream(out) {
      @Override
      public void write(byte[] bytes, int from, int count) throws IOException {
        out.write(bytes, from, count);
      }

      @Override
      public void close() throws IOException {
        halfClose.close();
      }
    };
  }

  /** Answers with these bytes and waits for the other side to close. */
  static HostileBoxd answering(String bytes) throws IOException {
    return answering(Via.UNIX, bytes);
  }

  /** The same, over a transport. */
  static HostileBoxd answering(Via via, String bytes) throws IOException {
    return answering(via, 1, bytes);
  }

  /** The same, of a generation. */
  static HostileBoxd answering(Via via, int generation, String bytes) throws IOException {
    return new HostileBoxd(
        via,
        generation,
        (in, out) -> {
          out.write(bytes.getBytes(StandardCharsets.ISO_8859_1));
          in.transferTo(OutputStream.nullOutputStream());
        });
  }

  /** Answers each request with these bytes, many on one connection. */
  static HostileBoxd serving(String bytes) throws IOException {
    return serving(Via.UNIX, 1, bytes);
  }

  /** The same, over a transport and of a generation. */
  static HostileBoxd serving(Via via, int generation, String bytes) throws IOException {
    return new HostileBoxd(
        via,
        generation,
        (in, out) -> {
          do {
            out.write(bytes.getBytes(StandardCharsets.ISO_8859_1));
          } while (!head(in).isEmpty());
        });
  }

  DataplaneAddress address() {
    return address;
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
        Line line = server.accept();
        connections.incrementAndGet();
        Thread.ofPlatform().daemon().start(() -> serve(line));
      }
    } catch (IOException closed) {
      // The test is over.
    }
  }

  private void serve(Line line) {
    try (Closeable _ = line.all()) {
      heads.add(head(line.in()));
      script.answer(line.in(), line.out());
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
