package dev.sandboxer.platform.session;

import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jdbi.v3.core.Jdbi;

/**
 * Prolongs leases. A lease only ever moves on, is written a little longer than promised, and is
 * written again only when a new promise would go beyond what stands there: of many heartbeats most
 * are answered by a read alone, and none is promised more than the database knows.
 */
@ApplicationScoped
class Leases {

  private static final String PROLONG =
      """
      update session set
        lease_until = greatest(lease_until, clock_timestamp() + make_interval(secs => :seconds)),
        idle_until = case when :used then clock_timestamp() + make_interval(secs => idle_seconds)
          else idle_until end,
        heartbeat = heartbeat or :heartbeat
      where id = :id and ended_at is null
      returning lease_until
      """;

  private final Jdbi jdbi;
  private final LeaseRules rules;

  Leases(Jdbi jdbi, LeaseRules rules) {
    this.jdbi = jdbi;
    this.rules = rules;
  }

  /**
   * Prolongs for a token that is about to be handed out.
   *
   * @return the end of the lease; empty if the session has ended meanwhile
   */
  Optional<Instant> forToken(SessionRow row, boolean heartbeat) {
    Duration wanted = rules.afterToken(heartbeat || row.heartbeat());
    return prolong(row, wanted, heartbeat && !row.heartbeat(), true);
  }

  /**
   * Prolongs for a heartbeat.
   *
   * @return the end of the lease; empty if the session has ended meanwhile
   */
  Optional<Instant> forHeartbeat(SessionRow row) {
    return prolong(row, rules.lease(), !row.heartbeat(), false);
  }

  private Optional<Instant> prolong(
      SessionRow row, Duration wanted, boolean beginHeartbeat, boolean used) {
    boolean enough = !row.leaseUntil().isBefore(row.readAt().plus(wanted));
    if (enough && !beginHeartbeat) {
      return Optional.of(row.leaseUntil());
    }
    double seconds = wanted.plus(rules.slack()).toMillis() / 1000.0;
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery(PROLONG)
                .bind("seconds", seconds)
                .bind("used", used)
                .bind("heartbeat", beginHeartbeat)
                .bind("id", row.id())
                .mapTo(Instant.class)
                .findOne());
  }
}
