package dev.sandboxer.ssh.wire;

import java.io.OutputStream;
import java.time.Duration;
import net.schmizz.sshj.common.SSHPacket;
import net.schmizz.sshj.connection.Connection;

/** A stream to a TCP port that the server's machine reaches. */
class TcpChannel extends StreamChannel {

  private static final String FROM = "127.0.0.1";

  private final String host;
  private final int port;

  TcpChannel(Connection connection, String host, int port, Runnable onEnd) {
    super(connection, "direct-tcpip", onEnd);
    this.host = host;
    this.port = port;
  }

  @Override
  protected SSHPacket buildOpenReq() {
    return super.buildOpenReq().putString(host).putUInt32(port).putString(FROM).putUInt32(0);
  }

  /** One that carries another SSH connection. */
  static final class Tunnel extends TcpChannel {

    private final Outlet outlet;

    Tunnel(Connection connection, String host, int port, Duration patience, Runnable onEnd) {
      super(connection, host, port, onEnd);
      outlet = new Outlet(super.getOutputStream(), host + ":" + port, patience, this::cancel);
    }

    @Override
    public OutputStream getOutputStream() {
      return outlet;
    }

    @Override
    void cancel() {
      outlet.close();
      super.cancel();
    }

    @Override
    protected void finishOff() {
      super.finishOff();
      outlet.close();
    }
  }
}
