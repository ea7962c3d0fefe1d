package dev.sandboxer.platform.provisioning;

import java.util.ArrayList;
import java.util.List;

/** Lets the claim's renewal cut a call short once the sandbox is no longer wanted. */
final class Cancellation {

  private final List<Runnable> actions = new ArrayList<>();
  private boolean cancelled;

  synchronized boolean cancelled() {
    return cancelled;
  }

  void onCancel(Runnable action) {
    synchronized (this) {
      if (!cancelled) {
        actions.add(action);
        return;
      }
    }
    action.run();
  }

  /** Cancels by an interrupt of the thread that calls this, until that is closed. */
  Interrupting interrupting() {
    Interrupting thread = new Interrupting(Thread.currentThread());
    onCancel(thread::interrupt);
    return thread;
  }

  /** A thread that a cancellation interrupts. What it does later is not cut short. */
  static final class Interrupting implements AutoCloseable {

    private final Thread thread;
    private boolean over;

    private Interrupting(Thread thread) {
      this.thread = thread;
    }

    private synchronized void interrupt() {
      if (!over) {
        thread.interrupt();
      }
    }

    @Override
    public synchronized void close() {
      over = true;
    }
  }

  void cancel() {
    List<Runnable> now;
    synchronized (this) {
      if (cancelled) {
        return;
      }
      cancelled = true;
      now = List.copyOf(actions);
    }
    now.forEach(Runnable::run);
  }
}
