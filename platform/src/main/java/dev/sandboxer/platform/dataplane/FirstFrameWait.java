package dev.sandboxer.platform.dataplane;

import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The wait for the frame that brings the token: one of those that are counted, and not for long.
 * Lives on one event loop.
 */
final class FirstFrameWait {

  private final Vertx vertx;
  private final Duration patience;
  private final AtomicInteger waiting;
  private long timer = -1;
  private boolean counted;

  /**
   * Makes one.
   *
   * @param patience how long at most
   * @param waiting counts all of them
   */
  FirstFrameWait(Vertx vertx, Duration patience, AtomicInteger waiting) {
    this.vertx = vertx;
    this.patience = patience;
    this.waiting = waiting;
  }

  /** Counts this one. */
  void begin() {
    waiting.incrementAndGet();
    counted = true;
  }

  /** Runs an action when the frame has not come in time. */
  void limit(Runnable late) {
    timer =
        vertx.setTimer(
            patience.toMillis(),
            fired -> {
              timer = -1;
              late.run();
            });
  }

  /** It came, or nobody waits for it any more. Repeatable. */
  void end() {
    if (timer >= 0) {
      vertx.cancelTimer(timer);
      timer = -1;
    }
    if (counted) {
      counted = false;
      waiting.decrementAndGet();
    }
  }
}
