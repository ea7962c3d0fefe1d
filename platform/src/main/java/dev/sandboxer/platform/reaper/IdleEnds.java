package dev.sandboxer.platform.reaper;

import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.provisioning.SandboxLifecycle;
import dev.sandboxer.platform.provisioning.WorkLoop;
import dev.sandboxer.platform.routing.RoutingJson;
import dev.sandboxer.platform.sandbox.Change;
import dev.sandboxer.platform.sandbox.EndReason;
import dev.sandboxer.platform.sandbox.Sandbox;
import dev.sandboxer.platform.sandbox.SandboxState;
import dev.sandboxer.platform.sandbox.Sandboxes;
import io.quarkus.arc.All;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * Ends sandboxes that nobody has used for their idle time, or suspends them where their profile
 * says so. It is counted from this platform's start at the earliest, because while it was away
 * nobody could use them, and from a jump of the clock. A sandbox that a session holds ends with
 * that session, to which a renewed token is use as well; a persistent box never ends so, and a
 * request for a box is use.
 */
@ApplicationScoped
class IdleEnds implements TimedEnds {

  private static final String IDLE =
      """
      greatest(%1$sready_at, %2$s) + make_interval(secs => %1$sidle_seconds)
          <= cast(:judged_at as timestamptz)
        and %1$sdesired = 'running'
        and not exists (select 1 from session n where n.sandbox_id = %1$sid and n.ended_at is null)
        and not exists (select 1 from box b where b.sandbox_id = %1$sid and (b.persistent
          or b.used_at + make_interval(secs => %1$sidle_seconds) > cast(:judged_at as timestamptz)))
      """;

  private static final String WATCHED =
      """
      cast(:watching_since as timestamptz) + make_interval(secs => idle_seconds)
          <= cast(:judged_at as timestamptz)
      """;

  private static final String UNUSED =
      """
      select s.* from sandbox s left join activity a on a.sandbox_id = s.id
      where s.state in ('ready', 'active') and %s and %s
      limit 200
      """
          .formatted(IDLE.formatted("s.", "a.last_used_at"), WATCHED);

  private static final String STILL_UNUSED =
      IDLE.formatted(
          "sandbox.", "(select a.last_used_at from activity a where a.sandbox_id = sandbox.id)");

  private static final String SHIFT =
      "update box set used_at = used_at + make_interval(secs => :seconds)";

  private final Jdbi jdbi;
  private final Sandboxes sandboxes;
  private final WorkLoop loop;
  private final RoutingJson routing;
  private final List<InUse> inUse;
  private volatile @Nullable OffsetDateTime watchingSince;

  IdleEnds(
      Jdbi jdbi, Sandboxes sandboxes, WorkLoop loop, RoutingJson routing, @All List<InUse> inUse) {
    this.routing = routing;
    this.inUse = inUse;
    this.jdbi = jdbi;
    this.sandboxes = sandboxes;
    this.loop = loop;
  }

  @Override
  public void unsteady() {
    watchingSince = null;
  }

  /** Else each node counts again after a jump. */
  @Override
  public void shift(Handle open, double seconds) {
    open.createUpdate(SHIFT).bind("seconds", seconds).execute();
  }

  @Override
  public void pass(OffsetDateTime now) {
    OffsetDateTime since = watchingSince;
    if (since == null) {
      watchingSince = now;
      return;
    }
    List<Sandbox> unused =
        jdbi.withHandle(
            handle ->
                sandboxes.rows(
                    handle
                        .createQuery(UNUSED)
                        .bind("watching_since", since)
                        .bind("judged_at", now)));
    if (unused.isEmpty()) {
      return;
    }
    Set<SandboxId> busy =
        inUse.stream().flatMap(one -> one.among(unused).stream()).collect(Collectors.toSet());
    unused.stream()
        .filter(sandbox -> !busy.contains(sandbox.id()))
        .forEach(sandbox -> end(sandbox, since, now));
  }

  /** A use meanwhile is seen here, under the row's lock. */
  private void end(Sandbox sandbox, OffsetDateTime since, OffsetDateTime now) {
    Change change =
        (routing.of(sandbox).suspendIdle()
                ? SandboxLifecycle.suspending(sandbox.id())
                : expired(sandbox.id()))
            .generation(sandbox.generation())
            .when(STILL_UNUSED, "judged_at", now)
            .when(WATCHED, "watching_since", since)
            .setSql("trace_parent", "null");
    sandboxes.apply(change).ifPresent(changed -> loop.nudge(changed.id()));
  }

  private static Change expired(SandboxId id) {
    return Change.to(id, SandboxState.EXPIRED)
        .set("end_reason", EndReason.IDLE.text())
        .setSql("ended_at", "clock_timestamp()")
        .setSql("due_at", "clock_timestamp()");
  }
}
