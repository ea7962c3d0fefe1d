package dev.sandboxer.ext.docker;

import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.HostRef;
import dev.sandboxer.spi.Progress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A call that a test cancels. */
final class CancellableCall implements Call {
  private final List<Runnable> actions = new CopyOnWriteArrayList<>();
  private volatile boolean cancelled;

  void cancel() {
    cancelled = true;
    actions.forEach(Runnable::run);
  }

  @Override
  public HostRef host() {
    return new HostRef("here", HostRef.LOCAL);
  }

  @Override
  public Duration remaining() {
    return Duration.ofMinutes(10);
  }

  @Override
  public boolean cancelled() {
    return cancelled;
  }

  @Override
  public void onCancel(Runnable action) {
    actions.add(action);
    if (cancelled) {
      action.run();
    }
  }

  @Override
  public void progress(Progress progress) {}
}
