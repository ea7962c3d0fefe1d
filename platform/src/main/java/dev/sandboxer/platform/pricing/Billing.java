package dev.sandboxer.platform.pricing;

import dev.sandboxer.spi.ExtensionDescriptor.PricingModel;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;

/**
 * Which time is billed.
 *
 * @param basis all of it ({@link PricingModel#ALLOCATED}), or the part in which the sandbox
 *     computes ({@link PricingModel#ACTIVE})
 * @param minimum shortest time that is billed
 * @param granularity billed time is rounded up to a multiple of it, above zero
 */
record Billing(PricingModel basis, Duration minimum, Duration granularity) {

  /**
   * The time that is billed: the longer one of the minimum and the used time rounded up to the
   * granularity.
   *
   * @param duration how long the sandbox lives
   * @param activeShare part of it in which it computes, 0 to 1
   * @return seconds, exact
   */
  BigDecimal seconds(Duration duration, double activeShare) {
    BigDecimal used = seconds(duration);
    if (basis == PricingModel.ACTIVE) {
      used = used.multiply(BigDecimal.valueOf(activeShare));
    }
    BigDecimal step = seconds(granularity);
    BigDecimal steps = used.divide(step, 0, RoundingMode.CEILING);
    return steps.multiply(step).max(seconds(minimum));
  }

  private static BigDecimal seconds(Duration span) {
    return BigDecimal.valueOf(span.getSeconds()).add(BigDecimal.valueOf(span.getNano(), 9));
  }
}
