package dev.sandboxer.platform.reaper;

import static io.quarkus.scheduler.Scheduled.ConcurrentExecution.SKIP;

import dev.sandboxer.platform.provisioning.WorkLoop;
import dev.sandboxer.platform.sandbox.Change;
import dev.sandboxer.platform.sandbox.Desired;
import dev.sandboxer.platform.sandbox.EndReason;
import dev.sandboxer.platform.sandbox.Sandbox;
import dev.sandboxer.platform.sandbox.SandboxState;
import dev.sandboxer.platform.sandbox.Sandboxes;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.quarkus.arc.All;
import io.quarkus.scheduler.Scheduled;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.OffsetDateTime;
import java.util.List;
import org.jdbi.v3.core.Jdbi;

/** Ends sandboxes whose time is over. A pass that cannot read the database ends nothing. */
@ApplicationScoped
public class Reaper {

  private static final String OVERDUE =
      """
      select * from sandbox
      where state in ('ready', 'active', 'suspended') and expires_at <= cast(:now as timestamptz)
      order by expires_at limit 200
      """;

  private static final String OLD_FAILURES =
      """
      select * from sandbox
      where state = 'failed' and desired <> 'gone' and ended_at < cast(:now as timestamptz) - interval '24 h'
      limit 200
      """;

  private final Jdbi jdbi;
  private final Sandboxes sandboxes;
  private final WorkLoop loop;
  private final ClockGuard clock;
  private final List<TimedEnds> others;
  private final Timer passes;

  Reaper(
      Jdbi jdbi,
      Sandboxes sandboxes,
      WorkLoop loop,
      ClockGuard clock,
      @All List<TimedEnds> others,
      MeterRegistry registry) {
    this.passes =
        Timer.builder("sandboxer.reaper.pass")
            .description("Looks for sandboxes and sessions whose time is over, and ending them")
            .register(registry);
    this.others = others;
    this.jdbi = jdbi;
    this.sandboxes = sandboxes;
    this.loop = loop;
    this.clock = clock;
  }

  /** One pass. */
  @RunOnVirtualThread
  @Scheduled(identity = "reaper", every = "1s", concurrentExecution = SKIP)
  void pass() {
    passes.record(
        () ->
            clock.reading().ifPresentOrElse(this::pass, () -> others.forEach(TimedEnds::unsteady)));
  }

  private void pass(OffsetDateTime now) {
    rows(OVERDUE, now).forEach(this::expire);
    rows(OLD_FAILURES, now).forEach(this::forget);
    others.forEach(other -> other.pass(now));
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
                .setSql("due_at", "clock_timestamp()")
                .setSql("trace_parent", "null"))
        .ifPresent(expired -> loop.nudge(expired.id()));
  }

  private void forget(Sandbox sandbox) {
    var _ =
        sandboxes.apply(
            Change.quiet(sandbox.id())
                .from(SandboxState.FAILED)
                .set("desired", Desired.GONE.text())
                .setSql("due_at", "clock_timestamp()")
                .setSql("trace_parent", "null"));
  }

  private static String reason() {
    return "case when expires_at >= hard_expires_at then '%s' else '%s' end"
        .formatted(EndReason.HARD_LIMIT.text(), EndReason.TTL.text());
  }

  private List<Sandbox> rows(String sql, OffsetDateTime now) {
    return jdbi.withHandle(handle -> sandboxes.rows(handle.createQuery(sql).bind("now", now)));
  }
}
