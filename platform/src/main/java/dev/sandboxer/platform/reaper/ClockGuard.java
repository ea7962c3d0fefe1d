package dev.sandboxer.platform.reaper;

import dev.sandboxer.platform.sandbox.Change;
import io.quarkus.arc.All;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jboss.logging.Logger;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * Sees when the database's wall clock jumps against a clock that does not. A jump beyond 30 s ends
 * nothing: the open deadlines move with it, once for all nodes.
 */
@ApplicationScoped
class ClockGuard {

  private static final Logger LOG = Logger.getLogger(ClockGuard.class);
  private static final Duration TOLERANCE = Duration.ofSeconds(30);

  private static final String FIRST_TO_SEE =
      """
      update installation set clock_shifted_at = clock_timestamp()
      where clock_shifted_at is null
         or abs(extract(epoch from clock_timestamp() - clock_shifted_at)) > 20
      """;

  private static final String SHIFTED = " + make_interval(secs => :seconds)";

  private final Jdbi jdbi;
  private final List<TimedEnds> others;
  private final LongSupplier nanos;
  private @Nullable Reading last;

  @Inject
  ClockGuard(Jdbi jdbi, @All List<TimedEnds> others) {
    this(jdbi, others, System::nanoTime);
  }

  ClockGuard(Jdbi jdbi, LongSupplier nanos) {
    this(jdbi, List.of(), nanos);
  }

  ClockGuard(Jdbi jdbi, List<TimedEnds> others, LongSupplier nanos) {
    this.jdbi = jdbi;
    this.others = List.copyOf(others);
    this.nanos = nanos;
  }

  /** Whether deadlines may be judged now; false in the pass that saw a jump. */
  boolean steady() {
    return reading().isPresent();
  }

  /**
   * The time to judge deadlines by; empty in the pass that saw a jump. What is compared with it is
   * safe from a jump that comes later.
   */
  synchronized Optional<OffsetDateTime> reading() {
    Reading now = read();
    Optional<OffsetDateTime> time = Optional.of(now.wall().atOffset(ZoneOffset.UTC));
    Reading before = last;
    last = now;
    if (before == null) {
      return time;
    }
    Duration jump = now.jumpSince(before);
    if (jump.abs().compareTo(TOLERANCE) <= 0) {
      return time;
    }
    shift(jump);
    return Optional.empty();
  }

  private void shift(Duration jump) {
    jdbi.useTransaction(
        open -> {
          if (open.createUpdate(FIRST_TO_SEE).execute() == 1) {
            double seconds = jump.toMillis() / 1000.0;
            int moved = shifted(seconds).run(open);
            others.forEach(other -> other.shift(open, seconds));
            LOG.warnf("wall clock jumped seconds=%d deadlines_moved=%d", jump.toSeconds(), moved);
          }
        });
  }

  private static Change shifted(double seconds) {
    return Change.quiet()
        .when("destroyed_at is null")
        .setSql("expires_at", "expires_at" + SHIFTED, "seconds", seconds)
        .setSql("hard_expires_at", "hard_expires_at" + SHIFTED);
  }

  private Reading read() {
    Instant wall =
        jdbi.withHandle(
            handle -> handle.createQuery("select clock_timestamp()").mapTo(Instant.class).one());
    return new Reading(wall, nanos.getAsLong());
  }

  private record Reading(Instant wall, long nanos) {

    Duration jumpSince(Reading before) {
      return Duration.between(before.wall, wall).minusNanos(nanos - before.nanos);
    }
  }
}
