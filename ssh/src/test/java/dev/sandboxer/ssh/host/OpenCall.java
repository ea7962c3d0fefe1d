package dev.sandboxer.ssh.host;

import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.Progress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A call with a deadline that can be cancelled. */
final class OpenCall implements Call {

  private final long end;
  private final List<Runnable> actions = new CopyOnWriteArrayList<>();
  private volatile boolean cancelled;

  OpenCall() {
    this(Duration.ofSeconds(30));
  }

  OpenCall(Duration most) {
    this.end = System.nanoTime() + most.toNanos();
  }

  void cancel() {
    cancelled = true;
    actions.forEach(Runnable::run);
  }

  @Override
  public Duration remaining() {
    return Duration.ofNanos(Math.max(0, end - System.nanoTime()));
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
