package dev.sandboxer.platform.pricing;

import java.math.BigDecimal;
import java.math.MathContext;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The operator's dated rates. A rate is used in its own direction and, where the table has none for
 * that, the other way round: one divided by it, with 34 digits. No rate is made of two others.
 */
final class RateTable {

  private record Pair(String from, String to) {}

  private final Map<Pair, NavigableMap<Instant, BigDecimal>> rates = new HashMap<>();

  RateTable(List<Rate> all) {
    for (Rate rate : all) {
      rates
          .computeIfAbsent(new Pair(rate.from(), rate.to()), _ -> new TreeMap<>())
          .putIfAbsent(rate.since(), rate.factor());
    }
  }

  /**
   * What conversion gave.
   *
   * @param money in the other currency
   * @param until the first moment at which another rate holds, {@link Instant#MAX} if none does
   */
  record Converted(Money money, Instant until) {}

  /**
   * Converts. The same currency and nothing at all need no rate.
   *
   * @param money to convert
   * @param to currency
   * @param at which rates hold then
   * @return rounded half up to {@link Money#SCALE} places; empty if there is no rate
   */
  Optional<Converted> convert(Money money, String to, Instant at) {
    if (money.currency().equals(to)) {
      return Optional.of(new Converted(money, Instant.MAX));
    }
    if (money.amount().signum() == 0) {
      return Optional.of(new Converted(Money.zero(to), Instant.MAX));
    }
    return factor(money.currency(), to, at)
        .map(found -> new Converted(money.times(found.factor(), to), found.until()));
  }

  /** Whether an amount can be converted. */
  boolean knows(String from, String to, Instant at) {
    return from.equals(to) || factor(from, to, at).isPresent();
  }

  private record Factor(BigDecimal factor, Instant until) {}

  private Optional<Factor> factor(String from, String to, Instant at) {
    return inForce(new Pair(from, to), at)
        .or(
            () ->
                inForce(new Pair(to, from), at)
                    .map(
                        other ->
                            new Factor(
                                BigDecimal.ONE.divide(other.factor(), MathContext.DECIMAL128),
                                other.until())));
  }

  private Optional<Factor> inForce(Pair pair, Instant at) {
    NavigableMap<Instant, BigDecimal> dated = rates.getOrDefault(pair, new TreeMap<>());
    Map.Entry<Instant, BigDecimal> now = dated.floorEntry(at);
    if (now == null) {
      return Optional.empty();
    }
    Instant next = dated.higherKey(at);
    return Optional.of(new Factor(now.getValue(), next == null ? Instant.MAX : next));
  }
}
