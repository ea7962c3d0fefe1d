package dev.sandboxer.platform.webhook;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How one try went.
 *
 * @param status that the receiver answered, null if it did not
 * @param error why it is no success, null if it is one; never what the receiver said
 * @param retryAfter that the receiver asked for, zero if it said nothing
 */
record Outcome(@Nullable Integer status, @Nullable String error, Duration retryAfter) {

  private static final int GONE = 410;

  static Outcome of(int status, Duration retryAfter) {
    String error = status / 100 == 2 ? null : "the receiver answered " + status;
    return new Outcome(status, error, retryAfter);
  }

  static Outcome failed(String error) {
    return new Outcome(null, error, Duration.ZERO);
  }

  /** Whether the receiver never wants anything again. */
  boolean gone() {
    return status != null && status == GONE;
  }
}
