package dev.sandboxer.platform.api;

import io.vertx.core.Vertx;
import java.time.Duration;

/** Interrupts the thread that made it when it is not closed in time, and never after that. */
final class ReadDeadline implements AutoCloseable {

  private final Thread reader = Thread.currentThread();
  private final Vertx vertx;
  private final long timer;
  private boolean over;
  private boolean passed;

  ReadDeadline(Vertx vertx, Duration time) {
    this.vertx = vertx;
    this.timer = vertx.setTimer(time.toMillis(), fired -> pass());
  }

  private synchronized void pass() {
    if (!over) {
      passed = true;
      reader.interrupt();
    }
  }

  @Override
  public void close() {
    vertx.cancelTimer(timer);
    synchronized (this) {
      over = true;
      if (passed) {
        var _ = Thread.interrupted();
      }
    }
  }
}
