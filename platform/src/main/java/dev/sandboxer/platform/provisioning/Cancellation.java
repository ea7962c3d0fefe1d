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
