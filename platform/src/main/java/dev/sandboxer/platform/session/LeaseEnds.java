package dev.sandboxer.platform.session;

import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.reaper.TimedEnds;
import dev.sandboxer.platform.sandbox.EndReason;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.OffsetDateTime;
import java.util.List;
import org.jboss.logging.Logger;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * Ends sessions whose lease or idle time is over, never while their sandbox is still being made. A
 * renewal that comes meanwhile is seen under the row's lock: the session goes on or ends, nothing
 * between. Nothing ends before this node has watched for the grace: while it or the database was
 * away, nobody could renew.
 */
@ApplicationScoped
class LeaseEnds implements TimedEnds {

  private static final Logger LOG = Logger.getLogger(LeaseEnds.class);

  /** The use of a dataplane renews the lease of those who owe no heartbeats. */
  private static final String LEASE_OVER =
      """
      lease_until <= cast(:now as timestamptz) and (heartbeat or not exists (
        select 1 from activity u where u.sandbox_id = session.sandbox_id
          and u.last_used_at + make_interval(secs => :grace) > cast(:now as timestamptz)))
      """;

  private static final String IDLE_OVER =
      """
      idle_until <= cast(:now as timestamptz) and not exists (
        select 1 from activity u where u.sandbox_id = session.sandbox_id
          and u.last_used_at + make_interval(secs => idle_seconds) > cast(:now as timestamptz))
      """;

  private static final String SHIFT =
      """
      update session set lease_until = lease_until + make_interval(secs => :seconds),
        idle_until = idle_until + make_interval(secs => :seconds)
      where ended_at is null
      """;

  private static final String SHIFT_USE =
      """
      update activity set last_used_at = last_used_at + make_interval(secs => :seconds)
      where sandbox_id in (select id from sandbox where destroyed_at is null)
      """;

  private final Jdbi jdbi;
  private final SessionEnds ends;
  private final LeaseRules rules;
  private final PollingGap gap;

  LeaseEnds(Jdbi jdbi, SessionEnds ends, LeaseRules rules) {
    this.jdbi = jdbi;
    this.ends = ends;
    this.rules = rules;
    this.gap = new PollingGap(rules.longestPause());
  }

  @Override
  public void unsteady() {
    gap.broken();
  }

  @Override
  public void pass(OffsetDateTime now) {
    if (gap.at(now).compareTo(rules.grace()) < 0) {
      return;
    }
    end(EndReason.LEASE, LEASE_OVER, now);
    end(EndReason.IDLE, IDLE_OVER, now);
  }

  private void end(EndReason reason, String condition, OffsetDateTime now) {
    for (Due due : due(condition, now)) {
      boolean ended =
          jdbi.inTransaction(
              open ->
                  ends.end(
                      open,
                      due.id(),
                      due.sandboxId(),
                      reason,
                      new SessionEnds.Condition(condition, now, rules.grace())));
      if (ended) {
        LOG.infof(
            "session ended id=%s sandbox=%s reason=%s", due.id(), due.sandboxId(), reason.text());
      }
    }
  }

  private List<Due> due(String condition, OffsetDateTime now) {
    return jdbi.withHandle(
        handle ->
            new SessionEnds.Condition(condition, now, rules.grace())
                .bind(
                    handle.createQuery(
                        """
                        select id, sandbox_id from session
                        where ended_at is null and (%s) and exists (select 1 from sandbox b
                          where b.id = session.sandbox_id
                            and b.state in ('ready', 'active', 'suspended'))
                        limit 200
                        """
                            .formatted(condition)))
                .map((row, _) -> new Due(row.getString(1), new SandboxId(row.getString(2))))
                .list());
  }

  @Override
  public void shift(Handle open, double seconds) {
    open.createUpdate(SHIFT).bind("seconds", seconds).execute();
    open.createUpdate(SHIFT_USE).bind("seconds", seconds).execute();
  }

  private record Due(String id, SandboxId sandboxId) {}
}
