package dev.sandboxer.ssh.host;

import dev.sandboxer.ssh.SshSettings;
import dev.sandboxer.ssh.SshTarget;
import dev.sandboxer.ssh.wire.SshConnection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** All machines that are reached by SSH. Closing it ends all connections and their threads. */
public final class SshConnections implements AutoCloseable {

  private final SshConnection.Dialer dialer;
  private final Map<SshTarget, SshHost> hosts = new HashMap<>();
  private boolean closed;

  /**
   * Connects to nobody yet.
   *
   * @param settings of the connections to each machine
   */
  public SshConnections(SshSettings settings) {
    this.dialer = new SshConnection.Dialer(settings);
  }

  /**
   * The machine. It is connected to when something is done there.
   *
   * @param target who and where
   * @return the same one for equal targets
   */
  public synchronized SshHost host(SshTarget target) {
    if (closed) {
      throw new IllegalStateException("the SSH connections are closed");
    }
    SshHost known = hosts.get(target);
    if (known == null) {
      Optional<SshHost> jump = target.jump().map(this::host);
      known = new SshHost(target, jump, dialer);
      hosts.put(target, known);
    }
    return known;
  }

  @Override
  public void close() {
    Map<SshTarget, SshHost> all;
    synchronized (this) {
      closed = true;
      all = Map.copyOf(hosts);
      hosts.clear();
    }
    all.values().forEach(SshHost::close);
  }
}
