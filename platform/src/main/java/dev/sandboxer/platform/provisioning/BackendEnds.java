package dev.sandboxer.platform.provisioning;

import dev.sandboxer.platform.host.Hosts;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Collection;
import java.util.List;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * The ends that backends set themselves, kept beyond our own. Our own end is that of the time to
 * live, or of the lease of the session that holds the sandbox; a lease that is over without an end
 * of its session counts as one that ends now.
 */
@ApplicationScoped
class BackendEnds {

  /** From this one on, a renewal that fails is reported: the first may meet a busy moment. */
  private static final int FAILURES_TO_REPORT = 2;

  /** How far beyond our own end the backend's is to be. */
  private static final String MARGIN = "interval '10 minutes'";

  /** Nearer than this, the backend is asked again. Less than the margin, so that not each is. */
  private static final String NEAR = "interval '5 minutes'";

  private static final int CLAIM_SECONDS = 60;

  /** The attempts of sandboxes that are to go on, with our own end. */
  private static final String LIVE =
      """
      from sandbox s
        join attempt a on a.id = s.attempt_id and a.phase = 'ready' and a.cleanup is null
        left join lateral (
          select max(n.lease_until) as until from session n
          where n.sandbox_id = s.id and n.ended_at is null) lease on true
        cross join lateral (
          select case when lease.until is null then s.expires_at
            else least(s.expires_at, greatest(lease.until, clock_timestamp())) end as until) own
      where s.state in ('ready', 'active') and s.desired = 'running'
        and s.expires_at > clock_timestamp()
        and (a.provider_until is null or a.provider_until < own.until + %s)
      """
          .formatted(NEAR);

  private static final String CLAIM =
      """
      with due as (
        select a.id, own.until + %s as wanted %s
          and a.extension_id = any(:extensions) and a.host_id in (%s)
          and (a.renewal_due_at is null or a.renewal_due_at <= clock_timestamp())
          and (a.renewal_claim_until is null or a.renewal_claim_until < clock_timestamp()
               or (a.renewal_owner <> :owner and a.renewal_owner like :node || '/%%'))
        order by a.provider_until nulls first limit :limit for update of a skip locked),
      a as (
        update attempt set renewal_owner = :owner, renewal_token = renewal_token + 1,
          renewal_claim_until = clock_timestamp() + make_interval(secs => :seconds)
        from due where attempt.id = due.id
        returning attempt.*, due.wanted)
      select %s from a join host h on h.id = a.host_id
      """
          .formatted(MARGIN, LIVE, Claims.REACHABLE, Attempts.COLUMNS);

  /** A shorter grant is renewed after half of it. An end that did not move is a failure. */
  private static final String GRANTED =
      """
      update attempt set renewal_owner = null, renewal_claim_until = null,
        provider_until = cast(:granted as timestamptz), renewal_failures = 0, renewal_error = null,
        renewal_due_at = clock_timestamp() + case
          when cast(:granted as timestamptz) >= cast(:wanted as timestamptz) then interval '0 s'
          else greatest(interval '1 s', (cast(:granted as timestamptz) - clock_timestamp()) / 2) end
      where id = :id and renewal_token = :token and cleanup is null
        and (provider_until is null or provider_until < cast(:granted as timestamptz))
      """;

  private static final String FAILED =
      """
      update attempt set renewal_owner = null, renewal_claim_until = null,
        renewal_failures = renewal_failures + 1, renewal_error = :error,
        renewal_due_at = clock_timestamp()
          + make_interval(secs => least(60, 2 ^ least(renewal_failures, 6)))
      where id = :id and renewal_token = :token and cleanup is null
        and exists (select 1 from sandbox s where s.id = attempt.sandbox_id
          and s.attempt_id = attempt.id and s.state in ('ready', 'active') and s.desired = 'running')
      """;

  private static final String STATUS =
      """
      select count(*) filter (where a.renewal_failures >= :failures) as failing,
        count(*) filter (where %1$s) as ending,
        (array_agg('sb_' || a.sandbox_id || ' ' || coalesce('until ' || a.provider_until,
            'never asked with success') || ': ' || a.renewal_error
          order by a.provider_until nulls first) filter (where %1$s))[1] as first
      %2$s
      """
          .formatted(
              "a.renewal_failures >= :failures and (a.provider_until is null"
                  + " or a.provider_until < clock_timestamp() + "
                  + NEAR
                  + ")",
              LIVE);

  private final Jdbi jdbi;
  private final Hosts hosts;
  private final Attempts attempts;

  BackendEnds(Jdbi jdbi, Hosts hosts, Attempts attempts) {
    this.jdbi = jdbi;
    this.hosts = hosts;
    this.attempts = attempts;
  }

  /**
   * A backend to ask, claimed by this node.
   *
   * @param attempt whose end is to be moved
   * @param token fencing token of the claim
   * @param until the wanted end
   */
  record Renewal(Attempt attempt, long token, Instant until) {}

  /**
   * How renewals fare.
   *
   * @param failing renewals that have failed repeatedly
   * @param ending those of them whose backend ends the sandbox soon, or has not said when
   * @param first the one that ends first, for an operator, null without any
   */
  record Status(long failing, long ending, @Nullable String first) {}

  /**
   * Claims what is to be renewed now.
   *
   * @param extensions that this node has and whose backends set an end
   * @param limit how many at most
   */
  List<Renewal> claim(Collection<String> extensions, int limit) {
    return jdbi.inTransaction(
        open ->
            open.createQuery(CLAIM)
                .bind("extensions", extensions.toArray(String[]::new))
                .bind("node", hosts.node().id())
                .bind("owner", hosts.node().claimOwner())
                .bind("seconds", CLAIM_SECONDS)
                .bind("limit", limit)
                .map(
                    (row, context) ->
                        new Renewal(
                            attempts.map(row, context),
                            row.getLong("renewal_token"),
                            row.getTimestamp("wanted").toInstant()))
                .list());
  }

  /**
   * Keeps what the backend granted, unless the claim was lost.
   *
   * @return false if it is no later end than the one before
   */
  boolean granted(Renewal renewal, Instant granted) {
    Instant until = granted.isBefore(renewal.until()) ? granted : renewal.until();
    return jdbi.withHandle(
        open ->
            open.createUpdate(GRANTED)
                    .bind("granted", at(until))
                    .bind("wanted", at(renewal.until()))
                    .bind("id", renewal.attempt().id())
                    .bind("token", renewal.token())
                    .execute()
                == 1);
  }

  /**
   * Has it asked again after a pause that grows.
   *
   * @return false if the sandbox is to end meanwhile, or the claim was lost
   */
  boolean failed(Renewal renewal, String error) {
    return jdbi.withHandle(open -> failed(open, renewal, error));
  }

  private static boolean failed(Handle open, Renewal renewal, String error) {
    return open.createUpdate(FAILED)
            .bind("error", error)
            .bind("id", renewal.attempt().id())
            .bind("token", renewal.token())
            .execute()
        == 1;
  }

  Status status() {
    return jdbi.withHandle(
        open ->
            open.createQuery(STATUS)
                .bind("failures", FAILURES_TO_REPORT)
                .map(
                    (row, _) ->
                        new Status(
                            row.getLong("failing"), row.getLong("ending"), row.getString("first")))
                .one());
  }

  private static OffsetDateTime at(Instant instant) {
    return instant.atOffset(ZoneOffset.UTC);
  }
}
