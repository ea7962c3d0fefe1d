package dev.sandboxer.platform.provisioning;

import dev.sandboxer.platform.host.Hosts;
import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.sandbox.Cleanup;
import dev.sandboxer.spi.CleanupReport;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Outcome;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Instance;
import java.time.Duration;
import java.util.List;
import org.jboss.logging.Logger;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/** Clean-up debt: attempts whose remains are to be removed, each claimed on its own. */
@ApplicationScoped
class Debts {

  private static final Logger LOG = Logger.getLogger(Debts.class);

  /**
   * Already claimed by this node where it reaches the host: it cleans up right after the commit.
   */
  private static final String OWE =
      """
      with a as (
        update attempt set cleanup = 'pending', phase = 'ended', ended_at = clock_timestamp(),
          cleanup_due_at = clock_timestamp(), cleanup_token = cleanup_token + 1,
          cleanup_owner = case when host_id in (%1$s) then :owner end,
          cleanup_until = case when host_id in (%1$s)
            then clock_timestamp() + make_interval(secs => :seconds) end
        where sandbox_id = :sandbox and cleanup is null and generation < :generation
        returning *)
      select %2$s, a.cleanup_owner is not null as claimed from a join host h on h.id = a.host_id
      """
          .formatted(Claims.REACHABLE, Attempts.COLUMNS);

  private static final String FAILED =
      """
      update attempt set phase = 'failed', outcome = :outcome, failure_code = :code,
        failure_message = :message, cleanup = :cleanup, cleanup_due_at = clock_timestamp(),
        ended_at = clock_timestamp()
      where id = :id and cleanup is null
      """;

  private static final String CLAIM =
      """
      with a as (
        update attempt set cleanup_owner = :owner, cleanup_token = cleanup_token + 1,
          cleanup_until = clock_timestamp() + make_interval(secs => :seconds)
        where id in (
          select id from attempt
          where cleanup = 'pending' and cleanup_due_at <= clock_timestamp() and host_id in (%s)
            and (cleanup_until is null or cleanup_until < clock_timestamp()
                 or (cleanup_owner <> :owner and cleanup_owner like :node || '/%%'))
          order by cleanup_due_at limit :limit for update skip locked)
        returning *)
      select %s from a join host h on h.id = a.host_id
      """
          .formatted(Claims.REACHABLE, Attempts.COLUMNS);

  private static final String DONE =
      """
      with s as materialized (select id from sandbox where id = :sandbox for update)
      update attempt a set cleanup = 'done', cleaned_at = clock_timestamp(), cleanup_owner = null,
        cleanup_until = null, cleanup_report = cast(:report as jsonb)
      from s where a.sandbox_id = s.id
        and a.id = :id and a.cleanup = 'pending' and a.cleanup_token = :token
      """;

  private static final String LATER =
      """
      update attempt set cleanup_owner = null, cleanup_until = null,
        cleanup_tries = cleanup_tries + 1, cleanup_failures = cleanup_failures + :failures,
        cleanup_report = cast(:report as jsonb),
        cleanup_due_at = clock_timestamp() + make_interval(secs => :seconds)
      where id = :id and cleanup = 'pending' and cleanup_token = :token
      returning cleanup_failures
      """;

  /** A condition of a change: every attempt of the sandbox was seen clean. */
  static final String NONE_OPEN =
      """
      not exists (select 1 from attempt a
        where a.sandbox_id = sandbox.id and (a.cleanup is null or a.cleanup = 'pending'))
      """;

  private static final int CLAIM_SECONDS = 60;

  private final Jdbi jdbi;
  private final Hosts hosts;
  private final Attempts attempts;
  private final Backends backends;
  private final Json json;
  private final Instance<Cleaning> cleaning;

  Debts(
      Jdbi jdbi,
      Hosts hosts,
      Attempts attempts,
      Backends backends,
      Json json,
      Instance<Cleaning> cleaning) {
    this.cleaning = cleaning;
    this.jdbi = jdbi;
    this.hosts = hosts;
    this.attempts = attempts;
    this.backends = backends;
    this.json = json;
  }

  /**
   * Everything that the sandbox's attempts made is now to be removed; it is, once the transaction
   * is committed.
   *
   * @return how many attempts this concerns
   */
  int oweAll(Handle transaction, SandboxId sandboxId) {
    return oweBefore(transaction, sandboxId, Integer.MAX_VALUE);
  }

  /** The same for what earlier generations made. */
  int oweBefore(Handle transaction, SandboxId sandboxId, int generation) {
    List<Owed> owed =
        transaction
            .createQuery(OWE)
            .bind("sandbox", sandboxId)
            .bind("generation", generation)
            .bind("node", hosts.node().id())
            .bind("owner", hosts.node().claimOwner())
            .bind("seconds", CLAIM_SECONDS)
            .map((row, context) -> new Owed(attempts.map(row, context), row.getBoolean("claimed")))
            .list();
    List<Attempt> claimed =
        owed.stream()
            .map(one -> one.attempt().handle() == null ? followedUp(transaction, one) : one)
            .filter(Owed::claimed)
            .map(Owed::attempt)
            .toList();
    owed.stream()
        .filter(one -> !one.claimed())
        .map(one -> one.attempt().host().id())
        .distinct()
        .forEach(host -> WorkSignal.send(transaction, host));
    transaction.afterCommit(() -> cleaning.get().begin(claimed));
    return owed.size();
  }

  /**
   * Without a handle nobody knows what a call that was cut off has left, or will: the debt is open
   * for the late-effect window of the attempt's extension.
   */
  private Owed followedUp(Handle transaction, Owed owed) {
    Attempt attempt = owed.attempt();
    Duration window = backends.lateEffectWindow(attempt.extension());
    attempts.abandonedCall(transaction, attempt.id(), window);
    return new Owed(attempt.withAbandoned(window.isPositive()), owed.claimed());
  }

  private record Owed(Attempt attempt, boolean claimed) {}

  /**
   * What the failed call of an attempt left is to be removed, unless it left nothing.
   *
   * @param left what it left, as far as its worker knows
   */
  void failed(Handle transaction, Attempt attempt, ExtensionException failure, Outcome left) {
    boolean nothing = left instanceof Outcome.NothingCreated;
    boolean unknown = left instanceof Outcome.Unknown;
    transaction
        .createUpdate(FAILED)
        .bind("id", attempt.id())
        .bind("outcome", Worker.outcome(left))
        .bind("code", failure.code().name())
        .bind("message", String.valueOf(failure.getMessage()))
        .bind("cleanup", (nothing ? Cleanup.DONE : Cleanup.PENDING).text())
        .execute();
    if (unknown) {
      attempts.abandonedCall(
          transaction, attempt.id(), backends.lateEffectWindow(attempt.extension()));
    }
    if (left instanceof Outcome.Created created) {
      attempts.keepHandle(transaction, attempt.id(), created.handle());
    }
    if (!nothing) {
      transaction.afterCommit(() -> cleaning.get().due());
    }
  }

  /** How many attempts of a sandbox are not yet seen clean. */
  int open(Handle transaction, SandboxId sandboxId) {
    return transaction
        .createQuery(
            """
            select count(*) from attempt
            where sandbox_id = :sandbox and (cleanup is null or cleanup = 'pending')
            """)
        .bind("sandbox", sandboxId)
        .mapTo(Integer.class)
        .one();
  }

  List<Attempt> claim(int limit) {
    return jdbi.inTransaction(
        transaction ->
            transaction
                .createQuery(CLAIM)
                .bind("owner", hosts.node().claimOwner())
                .bind("node", hosts.node().id())
                .bind("seconds", CLAIM_SECONDS)
                .bind("limit", limit)
                .map(attempts::map)
                .list());
  }

  /**
   * Renews a claim.
   *
   * @return false if it is lost
   */
  boolean keep(Attempt attempt) {
    return jdbi.withHandle(
            open ->
                open.createUpdate(
                        """
                        update attempt set cleanup_until = clock_timestamp() + make_interval(secs => :seconds)
                        where id = :id and cleanup = 'pending' and cleanup_token = :token
                        """)
                    .bind("id", attempt.id())
                    .bind("token", attempt.cleanupToken())
                    .bind("seconds", CLAIM_SECONDS)
                    .execute())
        == 1;
  }

  /** Gives up all claims of this node. */
  void handOver() {
    jdbi.useHandle(
        open ->
            open.createUpdate(
                    """
                    update attempt set cleanup_owner = null, cleanup_until = null,
                      cleanup_token = cleanup_token + 1, cleanup_due_at = clock_timestamp()
                    where cleanup_owner = :owner and cleanup = 'pending'
                    """)
                .bind("owner", hosts.node().claimOwner())
                .execute());
  }

  /**
   * Closes a debt. Locks the sandbox's row first: the last of several debts sees that it is the
   * last.
   *
   * @return false if the claim was lost
   */
  boolean done(Handle transaction, Attempt attempt, CleanupReport report) {
    return transaction
            .createUpdate(DONE)
            .bind("id", attempt.id())
            .bind("sandbox", attempt.sandboxId())
            .bind("token", attempt.cleanupToken())
            .bind("report", json.text(report))
            .execute()
        == 1;
  }

  /** As {@link #later}; if the database does not answer, the claim simply lapses. */
  void laterQuietly(Attempt attempt, Duration delay) {
    try {
      jdbi.useTransaction(open -> later(open, attempt, CleanupReport.NOTHING, delay));
    } catch (RuntimeException e) {
      LOG.warnf("clean-up claim kept until it lapses attempt=%s reason=%s", attempt.id(), e);
    }
  }

  /**
   * Tries again after a while.
   *
   * @return how many clean-ups of the attempt have failed so far, 0 if the claim was lost
   */
  int later(Handle transaction, Attempt attempt, CleanupReport report, Duration delay) {
    return transaction
        .createQuery(LATER)
        .bind("id", attempt.id())
        .bind("token", attempt.cleanupToken())
        .bind("failures", report.clean() ? 0 : 1)
        .bind("report", json.text(report))
        .bind("seconds", delay.toSeconds())
        .mapTo(Integer.class)
        .findOne()
        .orElse(0);
  }
}
