package dev.sandboxer.ext.docker;

import dev.sandboxer.spi.HostRef;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;

/**
 * A port of this machine that speaks TLS, wants a certificate, and passes on to the Engine of the
 * tests: as {@code dockerd --tlsverify} does.
 */
final class TlsDoor implements AutoCloseable {

  private static final int COPY = 16 * 1024;
  static final String HOST = "127.0.0.1";

  final Certificates certificates;
  private final SSLServerSocket server;
  private final Path engine;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();

  TlsDoor(Path folder, Path engine) throws GeneralSecurityException, IOException {
    this(folder, engine, HOST, Instant.now().plusSeconds(3600));
  }

  /** With a certificate for any host, up to any time. */
  TlsDoor(Path folder, Path engine, String host, Instant end)
      throws GeneralSecurityException, IOException {
    this.certificates = new Certificates(folder);
    this.engine = engine;
    certificates.client("client");
    SSLContext tls = certificates.server(host, end);
    server =
        (SSLServerSocket)
            tls.getServerSocketFactory()
                .createServerSocket(0, 50, InetAddress.getLoopbackAddress());
    server.setNeedClientAuth(true);
    Thread.ofVirtual().start(this::accept);
  }

  int port() {
    return server.getLocalPort();
  }

  HostRef host(Map<String, Object> more) {
    Map<String, Object> settings =
        new TreeMap<>(
            Map.of(
                "ca_file", certificates.authority().toString(),
                "certificate_file",
                    certificates.authority().resolveSibling("client.pem").toString(),
                "key_file", certificates.key("client").toString()));
    settings.putAll(more);
    return new HostRef("tls", "tcp://" + HOST + ":" + port()).withSettings(settings);
  }

  private void accept() {
    try {
      while (true) {
        Socket client = server.accept();
        open.add(client);
        Thread.ofVirtual().start(() -> serve(client));
      }
    } catch (IOException e) {
      // closed
    }
  }

  private void serve(Socket client) {
    try (client;
        SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      InputStream in = client.getInputStream();
      byte[] buffer = new byte[COPY];
      int count = in.read(buffer); // the handshake
      if (count < 0) {
        return;
      }
      channel.connect(UnixDomainSocketAddress.of(engine));
      Thread back = Thread.ofVirtual().start(() -> back(channel, client));
      for (; count >= 0; count = in.read(buffer)) {
        ByteBuffer bytes = ByteBuffer.wrap(buffer, 0, count);
        while (bytes.hasRemaining()) {
          channel.write(bytes);
        }
      }
      channel.shutdownOutput();
      back.join();
    } catch (IOException e) {
      // One side is gone, and so is the other.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      open.remove(client);
    }
  }

  private static void back(SocketChannel channel, Socket client) {
    try (client) {
      OutputStream out = client.getOutputStream();
      ByteBuffer bytes = ByteBuffer.allocate(COPY);
      while (channel.read(bytes.clear()) >= 0) {
        out.write(bytes.array(), 0, bytes.position());
      }
    } catch (IOException e) {
      // The client is gone.
    }
  }

  @Override
  public void close() throws IOException {
    server.close();
    for (Socket one : open) {
      one.close();
    }
  }
}
