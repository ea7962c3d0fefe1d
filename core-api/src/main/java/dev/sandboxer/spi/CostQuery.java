package dev.sandboxer.spi;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What would be made.
 *
 * @param spec the resolved profile
 * @param duration how long it would live
 * @param activeShare part of the time that it computes, 0 to 1
 * @param region of the provider, null for any
 */
public record CostQuery(
    SandboxSpec spec, Duration duration, double activeShare, @Nullable String region) {

  /** Checks the values. */
  public CostQuery {
    if (activeShare < 0 || activeShare > 1) {
      throw new IllegalArgumentException("active share " + activeShare + " must be 0 to 1");
    }
    if (duration.isNegative()) {
      throw new IllegalArgumentException("duration must not be negative");
    }
  }
}
