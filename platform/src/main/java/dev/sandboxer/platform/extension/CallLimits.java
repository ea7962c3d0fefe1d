package dev.sandboxer.platform.extension;

import java.time.Duration;

/**
 * How long a call may take.
 *
 * @param idle without any progress
 * @param cap in all, whatever the progress
 */
public record CallLimits(Duration idle, Duration cap) {

  /** Checks that both are positive. */
  public CallLimits {
    if (!idle.isPositive() || !cap.isPositive()) {
      throw new IllegalArgumentException("limits of a call must be positive");
    }
  }

  /**
   * For a call whose progress does not matter.
   *
   * @param cap in all
   * @return the limits
   */
  public static CallLimits of(Duration cap) {
    return new CallLimits(cap, cap);
  }
}
