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
  private final HostRef host;
  private volatile boolean cancelled;

  CancellableCall() {
    this(SandboxRequests.LOCAL);
  }

  CancellableCall(HostRef host) {
    this.host = host;
  }

  void cancel() {
    cancelled = true;
    actions.forEach(Runnable::run);
  }

  @Override
  public HostRef host() {
    return host;
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
