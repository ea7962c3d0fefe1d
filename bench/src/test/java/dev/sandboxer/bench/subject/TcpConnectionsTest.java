package dev.sandboxer.bench.subject;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import org.junit.jupiter.api.Test;

class TcpConnectionsTest {

  private static final InetAddress HERE = InetAddress.getLoopbackAddress();

  @Test
  void ofOneProcessToOnePort() throws IOException, InterruptedException {
    try (ServerSocket server = new ServerSocket(0, 5, HERE);
        ServerSocket other = new ServerSocket(0, 5, HERE);
        Socket _ = new Socket(HERE, server.getLocalPort());
        Socket _ = new Socket(HERE, other.getLocalPort())) {
      int port = server.getLocalPort();
      try (Socket ending = new Socket(HERE, port)) {
        assertThat(to(port)).isEqualTo(2);
        assertThat(to(other.getLocalPort())).isEqualTo(1);
        ending.shutdownOutput();
        assertThat(to(port)).isEqualTo(1);
      }
      Process another = new ProcessBuilder("cat").start();
      try {
        assertThat(TcpConnections.to(port, another.pid())).isZero();
      } finally {
        another.destroy();
        another.waitFor();
      }
    }
  }

  private static long to(int port) throws IOException {
    return TcpConnections.to(port, ProcessHandle.current().pid());
  }
}
