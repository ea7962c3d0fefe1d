package dev.sandboxer.spi;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;

/**
 * A price estimate.
 *
 * @param amount for the whole duration asked about
 * @param currency ISO 4217
 * @param basis how use is billed
 * @param minimum shortest time that is billed
 * @param granularity billed time is rounded up to a multiple of it
 * @param validUntil the quote holds until then
 */
public record MeterQuote(
    BigDecimal amount,
    String currency,
    ExtensionDescriptor.PricingModel basis,
    Duration minimum,
    Duration granularity,
    Instant validUntil) {

  /** Checks the values. */
  public MeterQuote {
    if (amount.signum() < 0) {
      throw new IllegalArgumentException("amount " + amount + " must not be negative");
    }
    if (!currency.matches("[A-Z]{3}")) {
      throw new IllegalArgumentException("currency '" + currency + "' must be an ISO 4217 code");
    }
  }

  /**
   * The quote of a backend that bills nothing.
   *
   * @return zero USD, for ever
   */
  public static MeterQuote free() {
    return new MeterQuote(
        BigDecimal.ZERO,
        "USD",
        ExtensionDescriptor.PricingModel.FREE,
        Duration.ZERO,
        Duration.ZERO,
        Instant.MAX);
  }
}
