package dev.sandboxer.platform.pricing;

import java.math.BigDecimal;
import java.time.Instant;

/**
 * What one unit of a currency is worth in another one, from a day on until the next rate of the
 * same two.
 *
 * @param from currency
 * @param to currency
 * @param since its first moment
 * @param factor above zero
 */
record Rate(String from, String to, Instant since, BigDecimal factor) {

  /** Whether it says the same as another one, for the same day. */
  boolean sameDay(Rate other) {
    return since.equals(other.since) && from.equals(other.from) && to.equals(other.to);
  }
}
