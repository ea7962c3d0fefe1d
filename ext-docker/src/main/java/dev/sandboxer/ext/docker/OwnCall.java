package dev.sandboxer.ext.docker;

import dev.sandboxer.spi.HostRef;
import dev.sandboxer.ssh.host.TimedCall;
import java.time.Duration;

/** A call of our own to a host, which goes on whoever waits for what it does. */
final class OwnCall extends TimedCall {

  private final HostRef host;

  OwnCall(HostRef host, Duration most) {
    super(most);
    this.host = host;
  }

  @Override
  public HostRef host() {
    return host;
  }
}
