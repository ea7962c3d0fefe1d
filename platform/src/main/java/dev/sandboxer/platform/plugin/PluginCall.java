package dev.sandboxer.platform.plugin;

import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.Progress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** One call of a plug-in: its thread is interrupted once the time is over. */
public final class PluginCall implements Call, AutoCloseable {

  private final long end;
  private final Thread caller = Thread.currentThread();
  private final List<Runnable> actions = new CopyOnWriteArrayList<>();
  private final Thread watch;
  private boolean over;

  /**
   * Begins; the calling thread is the one that calls.
   *
   * @param limit how long it may take
   */
  public PluginCall(Duration limit) {
    this.end = System.nanoTime() + limit.toNanos();
    this.watch = Thread.ofVirtual().start(this::watch);
  }

  private void watch() {
    try {
      Thread.sleep(remaining());
      cancel();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Under the lock, so that no interrupt reaches the thread after the call. */
  private synchronized void cancel() {
    if (!over) {
      over = true;
      caller.interrupt();
      actions.forEach(Runnable::run);
    }
  }

  @Override
  public Duration remaining() {
    return Duration.ofNanos(Math.max(0, end - System.nanoTime()));
  }

  @Override
  public synchronized boolean cancelled() {
    return over;
  }

  @Override
  public void onCancel(Runnable action) {
    actions.add(action);
    if (cancelled()) {
      action.run();
    }
  }

  @Override
  public void progress(Progress progress) {}

  @Override
  public void close() {
    watch.interrupt();
    synchronized (this) {
      boolean interrupted = over;
      over = true;
      if (interrupted) {
        var _ = Thread.interrupted();
      }
    }
  }
}
