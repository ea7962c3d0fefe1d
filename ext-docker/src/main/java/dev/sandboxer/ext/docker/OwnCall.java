package dev.sandboxer.ext.docker;

import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.HostRef;
import dev.sandboxer.spi.Progress;
import java.time.Duration;

/** A call of our own, which goes on whoever waits for what it does. */
final class OwnCall implements Call {

  private final HostRef host;
  private final long end;

  OwnCall(HostRef host, Duration most) {
    this.host = host;
    this.end = System.nanoTime() + most.toNanos();
  }

  @Override
  public HostRef host() {
    return host;
  }

  @Override
  public Duration remaining() {
    return Duration.ofNanos(Math.max(0, end - System.nanoTime()));
  }

  @Override
  public boolean cancelled() {
    return false;
  }

  @Override
  public void onCancel(Runnable action) {}

  @Override
  public void progress(Progress progress) {}
}
