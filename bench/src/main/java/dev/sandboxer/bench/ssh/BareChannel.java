package dev.sandboxer.bench.ssh;

import com.hierynomus.sshj.transport.cipher.GcmCiphers;
import dev.sandboxer.bench.subject.LargeFile;
import dev.sandboxer.testing.SshServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import net.schmizz.sshj.DefaultConfig;
import net.schmizz.sshj.SSHClient;
import net.schmizz.sshj.common.SecurityUtils;
import net.schmizz.sshj.connection.channel.direct.DirectConnection;

/**
 * 100 MB on sshj's own channel to a port that takes and gives them and does nothing else: the most
 * that a dataplane over sshj can move. The cipher is the platform's, by the JDK as there:
 * BouncyCastle's would be slower.
 */
final class BareChannel implements AutoCloseable {

  private static final String HERE = "127.0.0.1";
  private static final int BLOCK_BYTES = 256 << 10;
  private static final int UP = 'u';
  private static final int DOWN = 'd';

  private final Logger log = Logger.getLogger("net.schmizz");
  private final byte[] block = new byte[BLOCK_BYTES];
  private final ServerSocket port;
  private final SSHClient client;

  private BareChannel(ServerSocket port) {
    log.setLevel(Level.OFF);
    this.port = port;
    SecurityUtils.setRegisterBouncyCastle(false);
    DefaultConfig config = new DefaultConfig();
    config.setCipherFactories(List.of(GcmCiphers.AES128GCM()));
    this.client = new SSHClient(config);
  }

  static BareChannel to(SshServer server) throws IOException {
    BareChannel channel = new BareChannel(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
    Thread.ofVirtual().name("bare-port").start(channel::serve);
    channel.client.addHostKeyVerifier(server.fingerprint());
    channel.client.connect(HERE, server.port());
    channel.client.authPublickey(
        SshServer.user(), channel.client.loadKeys(server.key().toString()));
    return channel;
  }

  void upload() throws IOException {
    try (DirectConnection channel = open(UP)) {
      send(channel.getOutputStream(), block);
      if (channel.getInputStream().read() != UP) {
        throw new IOException("not all of it arrived");
      }
    }
  }

  void download() throws IOException {
    try (DirectConnection channel = open(DOWN)) {
      receive(channel.getInputStream(), block);
    }
  }

  private DirectConnection open(int way) throws IOException {
    DirectConnection channel = client.newDirectConnection(HERE, port.getLocalPort());
    channel.getOutputStream().write(way);
    channel.getOutputStream().flush();
    return channel;
  }

  private static void send(OutputStream to, byte[] block) throws IOException {
    for (int left = LargeFile.BYTES; left > 0; left -= block.length) {
      to.write(block, 0, Math.min(left, block.length));
    }
    to.flush();
  }

  private static void receive(InputStream from, byte[] block) throws IOException {
    for (int left = LargeFile.BYTES; left > 0; ) {
      int count = from.read(block, 0, Math.min(left, block.length));
      if (count < 0) {
        throw new IOException(left + " bytes did not arrive");
      }
      left -= count;
    }
  }

  /** One connection at a time. */
  private void serve() {
    byte[] own = new byte[BLOCK_BYTES];
    while (!port.isClosed()) {
      try (Socket socket = port.accept()) {
        if (socket.getInputStream().read() == DOWN) {
          send(socket.getOutputStream(), own);
        } else {
          receive(socket.getInputStream(), own);
          socket.getOutputStream().write(UP);
        }
      } catch (IOException e) {
        // The port is closed, or the other end has said what is wrong.
      }
    }
  }

  @Override
  public void close() throws IOException {
    client.close();
    port.close();
  }
}
