package dev.sandboxer.testing;

import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.HostRef;
import dev.sandboxer.spi.Progress;
import java.time.Duration;

/** A call without limits. */
public final class NoCall implements Call {
  @Override
  public HostRef host() {
    return new HostRef("here", HostRef.LOCAL);
  }

  @Override
  public Duration remaining() {
    return Duration.ofHours(1);
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
