package dev.sandboxer.platform.extension;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Spares a backend that keeps failing. Closed: all pass. Open after some failures in a row: none
 * passes for a while. Then half-open: one passes at a time, and decides.
 */
public final class Breaker {

  private final int failuresToOpen;
  private final long restNanos;
  private final LongSupplier nanos;
  private int failures;
  private boolean open;
  private boolean trying;
  private long openedAt;

  Breaker(int failuresToOpen, Duration rest, LongSupplier nanos) {
    this.failuresToOpen = failuresToOpen;
    this.restNanos = rest.toNanos();
    this.nanos = nanos;
  }

  /** What a breaker does. */
  public enum State {
    /** All calls pass. */
    CLOSED,
    /** None passes. */
    OPEN,
    /** One passes at a time. */
    HALF_OPEN
  }

  /**
   * Where it stands.
   *
   * @return now
   */
  public synchronized State state() {
    if (!open) {
      return State.CLOSED;
    }
    return nanos.getAsLong() - openedAt < restNanos ? State.OPEN : State.HALF_OPEN;
  }

  /** Asks to pass. Who may, reports {@link #succeeded}, {@link #failed} or {@link #undecided}. */
  synchronized boolean tryPass() {
    return switch (state()) {
      case CLOSED -> true;
      case OPEN -> false;
      case HALF_OPEN -> {
        boolean pass = !trying;
        trying = true;
        yield pass;
      }
    };
  }

  synchronized void succeeded() {
    open = false;
    trying = false;
    failures = 0;
  }

  synchronized void failed() {
    failures++;
    trying = false;
    if (open || failures >= failuresToOpen) {
      open = true;
      openedAt = nanos.getAsLong();
    }
  }

  /** The call ended in a way that says nothing about the backend. */
  synchronized void undecided() {
    trying = false;
  }
}
