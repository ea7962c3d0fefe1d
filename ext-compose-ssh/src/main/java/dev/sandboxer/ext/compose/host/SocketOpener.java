package dev.sandboxer.ext.compose.host;

import dev.sandboxer.spi.ByteStream;
import dev.sandboxer.spi.ByteStreamOpener;
import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Outcome;
import dev.sandboxer.ssh.SshException;
import dev.sandboxer.ssh.host.SshHost;

/** Streams through SSH to boxd's socket. There is one {@link SshHost} a machine. */
record SocketOpener(SshHost host, String socket) implements ByteStreamOpener {

  /** So that one sandbox cannot take all streams of its machine. */
  private static final int MOST = 128;

  @Override
  public int maxStreams() {
    return Math.min(MOST, host.maxStreams());
  }

  @Override
  public ByteStream open(Call call) throws ExtensionException {
    try {
      return host.openSocket(socket, call);
    } catch (SshException e) {
      throw new ExtensionException(
          ErrorCode.UNAVAILABLE, Outcome.NOTHING_CREATED, String.valueOf(e.getMessage()), e);
    }
  }
}
