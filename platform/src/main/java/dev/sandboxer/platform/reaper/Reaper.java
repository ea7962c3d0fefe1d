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

/** Ends sandboxes whose time is over. A pass that can not read the database ends nothing. */
@ApplicationScoped
public class Reaper {

  private static final String OVERDUE =
      """
      select * from sandbox
      where state in ('ready', 'active', 'suspended') and expires_at <= clock_timestamp()
      order by expires_at limit 200
      """;

  /**
   * Nobody has used them for their idle time, counted from this platform's start at the earliest:
   * while it was away, nobody could.
   */
  private static final String UNUSED =
      """
      select s.* from sandbox s left join activity a on a.sandbox_id = s.id
      where s.state in ('ready', 'active') and %s
      limit 200
      """
          .formatted(idle("s.", "a.last_used_at"));

  private static final String OLD_FAILURES =
      """
      select * from sandbox
      where state = 'failed' and desired <> 'gone' and ended_at < clock_timestamp() - interval '24 h'
      limit 200
      """;

  private final Jdbi jdbi;
  private final Sandboxes sandboxes;
  private final WorkLoop loop;
  private final ClockGuard clock;
  private @Nullable OffsetDateTime watchingSince;

  Reaper(Jdbi jdbi, Sandboxes sandboxes, WorkLoop loop, ClockGuard clock) {
    this.jdbi = jdbi;
    this.sandboxes = sandboxes;
    this.loop = loop;
    this.clock = clock;
  }

  /** One pass. Called every second. */
  public void pass() {
    OffsetDateTime since = watchingSince;
    if (!clock.steady() || since == null) {
      watchingSince = databaseTime();
      return;
    }
    rows(OVERDUE).forEach(this::expire);
    unused(since).forEach(sandbox -> retire(sandbox, since));
    rows(OLD_FAILURES).forEach(this::forget);
  }

  /** A TTL that was extended meanwhile is seen here, under the row's lock. */
  private void expire(Sandbox sandbox) {
    sandboxes
        .apply(
            Change.to(sandbox.id(), SandboxState.EXPIRED)
                .generation(sandbox.generation())
                .when("expires_at <= clock_timestamp()")
                .setSql("end_reason", reason())
                .setSql("ended_at", "clock_timestamp()")
                .setSql("due_at", "clock_timestamp()"))
        .ifPresent(expired -> loop.nudge(expired.id()));
  }

  private List<Sandbox> unused(OffsetDateTime since) {
    return jdbi.withHandle(
        handle -> sandboxes.rows(handle.createQuery(UNUSED).bind("watching_since", since)));
  }

  /** A use meanwhile is seen here, under the row's lock. */
  private void retire(Sandbox sandbox, OffsetDateTime since) {
    Change change =
        Change.to(sandbox.id(), SandboxState.EXPIRED)
            .generation(sandbox.generation())
            .when(
                idle(
                    "sandbox.",
                    "(select a.last_used_at from activity a where a.sandbox_id = sandbox.id)"),
                "watching_since",
                since)
            .set("end_reason", EndReason.IDLE.text())
            .setSql("ended_at", "clock_timestamp()")
            .setSql("due_at", "clock_timestamp()");
    sandboxes.apply(change).ifPresent(expired -> loop.nudge(expired.id()));
  }

  private static String idle(String sandbox, String lastUse) {
    return "greatest(%1$sready_at, %2$s, :watching_since) + make_interval(secs => %1$sidle_seconds) <= clock_timestamp()"
        .formatted(sandbox, lastUse);
  }

  private OffsetDateTime databaseTime() {
    return jdbi.withHandle(
        handle -> handle.createQuery("select clock_timestamp()").mapTo(OffsetDateTime.class).one());
  }

  private void forget(Sandbox sandbox) {
    jdbi.useHandle(
        handle ->
            handle
                .createUpdate(
                    """
                    update sandbox set desired = 'gone', due_at = clock_timestamp()
                    where id = :id and state = 'failed'
                    """)
                .bind("id", sandbox.id())
                .execute());
  }

  private static String reason() {
    return "case when expires_at >= hard_expires_at then '%s' else '%s' end"
        .formatted(EndReason.HARD_LIMIT.text(), EndReason.TTL.text());
  }

  private List<Sandbox> rows(String sql) {
    return jdbi.withHandle(handle -> sandboxes.rows(handle.createQuery(sql)));
  }
}
