package dev.sandboxer.platform.api.langbot;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Output of commands that have ended, until clients have read it: an eighth of the heap at most.
 */
final class UnsentOutput {

  private static final int PART_OF_HEAP = 8;

  private final long most;
  private final AtomicLong held = new AtomicLong();

  UnsentOutput(long most) {
    this.most = most;
  }

  static UnsentOutput ofHeap() {
    return new UnsentOutput(Runtime.getRuntime().maxMemory() / PART_OF_HEAP);
  }

  /** Whether there was room. */
  boolean take(long bytes) {
    long now = held.addAndGet(bytes);
    if (now > most) {
      held.addAndGet(-bytes);
      return false;
    }
    return true;
  }

  void give(long bytes) {
    held.addAndGet(-bytes);
  }
}
