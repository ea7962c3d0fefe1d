package dev.sandboxer.platform.reaper;

import dev.sandboxer.platform.provisioning.WorkLoop;
import dev.sandboxer.platform.sandbox.Change;
import dev.sandboxer.platform.sandbox.EndReason;
import dev.sandboxer.platform.sandbox.Sandbox;
import dev.sandboxer.platform.sandbox.SandboxState;
import dev.sandboxer.platform.sandbox.Sandboxes;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.OffsetDateTime;
import java.util.List;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * Ends sandboxes that nobody has used for their idle time. It is counted from this platform's start
 * at the earliest, because while it was away nobody could use them, and from a jump of the clock. A
 * sandbox that a session holds ends with that session, to which a renewed token is use as well.
 */
@ApplicationScoped
class IdleEnds {

  private static final String IDLE =
      """
      greatest(%1$sready_at, %2$s, :watching_since)
        + make_interval(secs => %1$sidle_seconds) <= clock_timestamp()
        and not exists (select 1 from session n where n.sandbox_id = %1$sid and n.ended_at is null)
      """;

  private static final String UNUSED =
      """
      select s.* from sandbox s left join activity a on a.sandbox_id = s.id
      where s.state in ('ready', 'active') and %s
      limit 200
      """
          .formatted(IDLE.formatted("s.", "a.last_used_at"));

  private static final String STILL_UNUSED =
      IDLE.formatted(
          "sandbox.", "(select a.last_used_at from activity a where a.sandbox_id = sandbox.id)");

  private final Jdbi jdbi;
  private final Sandboxes sandboxes;
  private final WorkLoop loop;
  private volatile @Nullable OffsetDateTime watchingSince;

  IdleEnds(Jdbi jdbi, Sandboxes sandboxes, WorkLoop loop) {
    this.jdbi = jdbi;
    this.sandboxes = sandboxes;
    this.loop = loop;
  }

  /** Counts anew for all: the clock can not be trusted. */
  void restart() {
    watchingSince = null;
  }

  void pass() {
    OffsetDateTime since = watchingSince;
    if (since == null) {
      watchingSince = databaseTime();
      return;
    }
    List<Sandbox> unused =
        jdbi.withHandle(
            handle -> sandboxes.rows(handle.createQuery(UNUSED).bind("watching_since", since)));
    unused.forEach(sandbox -> end(sandbox, since));
  }

  /** A use meanwhile is seen here, under the row's lock. */
  private void end(Sandbox sandbox, OffsetDateTime since) {
    Change change =
        Change.to(sandbox.id(), SandboxState.EXPIRED)
            .generation(sandbox.generation())
            .when(STILL_UNUSED, "watching_since", since)
            .set("end_reason", EndReason.IDLE.text())
            .setSql("ended_at", "clock_timestamp()")
            .setSql("due_at", "clock_timestamp()");
    sandboxes.apply(change).ifPresent(expired -> loop.nudge(expired.id()));
  }

  private OffsetDateTime databaseTime() {
    return jdbi.withHandle(
        handle -> handle.createQuery("select clock_timestamp()").mapTo(OffsetDateTime.class).one());
  }
}
