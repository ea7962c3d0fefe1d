package dev.sandboxer.ssh.wire;

import net.schmizz.sshj.common.SSHPacket;
import net.schmizz.sshj.connection.Connection;

/** A stream to a Unix socket of the server's machine, by OpenSSH's extension. */
final class UnixChannel extends StreamChannel {

  private final String path;

  UnixChannel(Connection connection, String path, Runnable onEnd) {
    super(connection, "direct-streamlocal@openssh.com", onEnd);
    this.path = path;
  }

  @Override
  protected SSHPacket buildOpenReq() {
    return super.buildOpenReq().putString(path).putString("").putUInt32(0);
  }
}
