package dev.sandboxer.platform.pricing;

import dev.sandboxer.spi.MeterQuote;
import dev.sandboxer.spi.Resources;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;

/**
 * One price of the operator's.
 *
 * @param place what it is of
 * @param period when it holds
 * @param currency of the amounts
 * @param units what an hour costs
 * @param billing which time is billed
 * @param source where it stands, such as {@code hosts.yaml:4}
 */
record Price(
    PricedPlace place,
    Period period,
    String currency,
    UnitPrices units,
    Billing billing,
    String source) {

  private static final BigDecimal HOUR = BigDecimal.valueOf(3600);

  /**
   * What a sandbox costs by this price: the price of an hour times the billed time, computed
   * exactly and rounded once, half up, to {@link Money#SCALE} decimal places.
   *
   * @param size of the sandbox
   * @param duration how long it lives
   * @param activeShare part of it in which it computes, 0 to 1
   * @return a quote that holds as long as the price
   */
  MeterQuote quote(Resources size, Duration duration, double activeShare) {
    BigDecimal amount =
        units
            .hourly(size)
            .multiply(billing.seconds(duration, activeShare))
            .divide(HOUR, Money.SCALE, RoundingMode.HALF_UP);
    return new MeterQuote(
        amount,
        currency,
        billing.basis(),
        billing.minimum(),
        billing.granularity(),
        period.until());
  }
}
