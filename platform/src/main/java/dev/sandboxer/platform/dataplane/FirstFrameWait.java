package dev.sandboxer.platform.dataplane;

import io.vertx.core.Vertx;
import java.time.Duration;

/** The wait for the frame that brings the token, which is not long. Lives on one event loop. */
final class FirstFrameWait {

  private final Vertx vertx;
  private final Duration patience;
  private final Runnable ended;
  private long timer = -1;
  private boolean over;

  /**
   * Makes one.
   *
   * @param patience how long at most
   * @param ended runs once, when nobody waits any more
   */
  FirstFrameWait(Vertx vertx, Duration patience, Runnable ended) {
    this.vertx = vertx;
    this.patience = patience;
    this.ended = ended;
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
    if (!over) {
      over = true;
      ended.run();
    }
  }
}
