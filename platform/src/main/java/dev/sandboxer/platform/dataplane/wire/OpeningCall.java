package dev.sandboxer.platform.dataplane.wire;

import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.Progress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The opening of one stream, which an extension may take some time for. */
final class OpeningCall implements Call {

  private final long endNanos;
  private final List<Runnable> actions = new ArrayList<>();
  private boolean cancelled;

  OpeningCall(Duration limit) {
    endNanos = System.nanoTime() + limit.toNanos();
  }

  @Override
  public Duration remaining() {
    return Duration.ofNanos(Math.max(0, endNanos - System.nanoTime()));
  }

  @Override
  public synchronized boolean cancelled() {
    return cancelled;
  }

  @Override
  public void onCancel(Runnable action) {
    synchronized (this) {
      if (!cancelled) {
        actions.add(action);
        return;
      }
    }
    Thread.startVirtualThread(action);
  }

  @Override
  public void progress(Progress progress) {
    // Nobody shows the steps of an opening, and they do not prolong it.
  }

  void cancel() {
    List<Runnable> due;
    synchronized (this) {
      cancelled = true;
      due = List.copyOf(actions);
      actions.clear();
    }
    due.forEach(Thread::startVirtualThread);
  }
}
