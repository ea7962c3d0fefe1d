package dev.sandboxer.platform.quota;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Publishes the first of similar refusals each minute and counts the rest, on this node. Costs a
 * look into a bounded map.
 */
final class RefusalThrottle {

  private static final Duration QUIET = Duration.ofMinutes(1);
  private static final int MOST_KNOWN = 4096;

  private final InstantSource clock;
  private final Map<Kind, Minute> minutes = new ConcurrentHashMap<>();

  RefusalThrottle(InstantSource clock) {
    this.clock = clock;
  }

  /** What makes refusals alike. */
  record Kind(String tenantId, String quota, @Nullable String userId) {}

  /**
   * Counts a refusal. Where there are too many kinds all are forgotten: some are then told again.
   *
   * @return how many were left out before it; empty if it is to be left out itself
   */
  OptionalLong count(Kind kind) {
    if (minutes.size() >= MOST_KNOWN) {
      minutes.clear();
    }
    long now = clock.millis();
    Minute minute =
        minutes.compute(kind, (_, last) -> last == null ? new Minute(now, 0, 1) : last.next(now));
    return minute.refused() == 1 ? OptionalLong.of(minute.before()) : OptionalLong.empty();
  }

  /** What was to be told was not: it counts as left out. */
  void untold(Kind kind) {
    var _ = minutes.computeIfPresent(kind, (_, minute) -> minute.untold());
  }

  /**
   * A minute of refusals.
   *
   * @param began when the first one came, by the clock
   * @param before how many the minute before has left out
   * @param refused how many came, the first one included
   */
  private record Minute(long began, long before, long refused) {

    /** A clock that went back ends the minute. */
    boolean holds(long now) {
      return now >= began && now - began < QUIET.toMillis();
    }

    Minute next(long now) {
      return holds(now) ? new Minute(began, before, refused + 1) : new Minute(now, refused - 1, 1);
    }

    Minute untold() {
      return new Minute(began, 0, before + refused + 1);
    }
  }
}
