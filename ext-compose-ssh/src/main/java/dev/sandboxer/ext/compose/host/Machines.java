package dev.sandboxer.ext.compose.host;

import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.ssh.SshSettings;
import dev.sandboxer.ssh.host.SshConnections;

/** All machines; what is done on one shares its connections. */
public final class Machines implements AutoCloseable {

  private final SshConnections connections = new SshConnections(SshSettings.DEFAULT);
  private final String installation;

  /**
   * Connects to nobody yet.
   *
   * @param installation whose sandboxes these are
   */
  public Machines(String installation) {
    this.installation = installation;
  }

  /**
   * The machine that a call is about.
   *
   * @param call with its host
   * @return the machine, to be asked within this call
   * @throws ExtensionException if the host's address or settings are wrong
   */
  public Machine of(Call call) throws ExtensionException {
    HostSettings settings = HostSettings.of(call.host());
    return new Machine(connections.host(settings.target()), settings, installation, call);
  }

  @Override
  public void close() {
    connections.close();
  }
}
