package dev.sandboxer.platform.pricing;

import java.time.Instant;

/**
 * When something holds.
 *
 * @param from its first moment, {@link Instant#MIN} for always
 * @param until the first moment after it, {@link Instant#MAX} for ever
 */
record Period(Instant from, Instant until) {

  Period {
    if (!from.isBefore(until)) {
      throw new IllegalArgumentException("a period must end after it begins");
    }
  }

  boolean holds(Instant at) {
    return !at.isBefore(from) && at.isBefore(until);
  }

  boolean endedBy(Instant now) {
    return !until.isAfter(now);
  }

  boolean overlaps(Period other) {
    return from.isBefore(other.until) && other.from.isBefore(until);
  }
}
