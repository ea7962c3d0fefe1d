package dev.sandboxer.platform.session;

import dev.sandboxer.platform.database.InTurn;
import dev.sandboxer.platform.id.Ids;
import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.idempotency.IdempotencyKeys;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.platform.sandbox.Change;
import dev.sandboxer.platform.sandbox.EndReason;
import dev.sandboxer.platform.sandbox.Sandbox;
import dev.sandboxer.platform.sandbox.Sandboxes;
import dev.sandboxer.platform.session.SessionSandboxes.Planned;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * Binds a scope to a sandbox. One transaction does it all, and those who come at once wait for the
 * first.
 */
@ApplicationScoped
class SessionStart {

  private static final String INSERT =
      """
      insert into session (id, tenant_id, scope_type, scope_id, sandbox_id, created_sandbox,
        lease_until, principal_id, user_id, thread_id, run_id, inputs, heartbeat, idle_seconds,
        idle_until)
      values (:id, :tenant, :type, :scope, :sandbox, :created,
        clock_timestamp() + make_interval(secs => :lease), :principal, :user, :thread, :run,
        :inputs, :heartbeat, :idle,
        clock_timestamp() + make_interval(secs => :idle))
      """;

  private final Jdbi jdbi;
  private final InTurn turns;
  private final Ids ids;
  private final SessionRows rows;
  private final SessionEnds ends;
  private final SessionSandboxes sources;
  private final Sandboxes sandboxes;
  private final IdempotencyKeys idempotency;
  private final LeaseRules rules;
  private final UserQuota quota;

  SessionStart(
      Jdbi jdbi,
      InTurn turns,
      Ids ids,
      SessionRows rows,
      SessionEnds ends,
      SessionSandboxes sources,
      Sandboxes sandboxes,
      IdempotencyKeys idempotency,
      LeaseRules rules,
      UserQuota quota) {
    this.jdbi = jdbi;
    this.turns = turns;
    this.ids = ids;
    this.rows = rows;
    this.ends = ends;
    this.sources = sources;
    this.sandboxes = sandboxes;
    this.idempotency = idempotency;
    this.rules = rules;
    this.quota = quota;
  }

  /**
   * What a start came to.
   *
   * @param row the session
   * @param made whether it is new
   * @param replayed whether an earlier request with the same key had led to it
   */
  record Started(SessionRow row, boolean made, boolean replayed) {}

  /**
   * Finds or makes the session of a wish.
   *
   * @throws ProblemException not found, conflict, quota, or a reused Idempotency-Key
   * @throws InterruptedException if the waiting thread is interrupted
   */
  Started start(Wish wish) throws InterruptedException {
    String name =
        "session/%s/%s/%s"
            .formatted(wish.tenantId(), wish.scope().type().text(), wish.scope().id());
    String id = ids.make("ssn");
    return turns.run(name, () -> plan(wish, id), (open, planned) -> start(open, wish, id, planned));
  }

  /** A session that lives needs no store of secrets and no folder. */
  private Planned plan(Wish wish, String id) {
    Planned planned = sources.plan(wish, id);
    boolean whole = sources.needsMore(planned) && jdbi.withHandle(open -> makes(open, wish));
    return whole ? sources.whole(planned) : planned;
  }

  /** Whether a sandbox is going to be made, as far as that can be seen before. */
  private boolean makes(Handle open, Wish wish) {
    return wish.mode() != Mode.ATTACH_ONLY
        && replayed(open, wish).isEmpty()
        && rows.live(open, principal(wish), wish.tenantId(), wish.scope())
            .filter(row -> !row.sandbox().dead())
            .isEmpty()
        && sources.hinted(open, wish).isEmpty();
  }

  private Started start(Handle open, Wish wish, String id, Planned planned) {
    Optional<SessionRow> earlier = replayed(open, wish);
    if (earlier.isPresent()) {
      return new Started(earlier.get(), false, true);
    }
    Optional<SessionRow> live = live(open, wish);
    if (live.isPresent()) {
      if (wish.mode() == Mode.CREATE_ONLY) {
        throw bound(wish);
      }
      checkFit(wish, live.get());
      keep(open, wish, live.get().id());
      return new Started(live.get(), false, false);
    }
    if (wish.mode() == Mode.ATTACH_ONLY) {
      throw none(wish);
    }
    return new Started(make(open, wish, id, planned), true, false);
  }

  private Optional<SessionRow> replayed(Handle open, Wish wish) {
    return wish.key() == null
        ? Optional.empty()
        : idempotency
            .find(open, wish.key())
            .flatMap(id -> rows.find(open, principal(wish), wish.tenantId(), id));
  }

  /** The scope's session, if its sandbox can still serve; one that cannot is ended here. */
  private Optional<SessionRow> live(Handle open, Wish wish) {
    Optional<SessionRow> row = rows.live(open, principal(wish), wish.tenantId(), wish.scope());
    if (row.isPresent() && row.get().sandbox().dead()) {
      ends.end(open, row.get().id(), row.get().sandbox().id(), EndReason.VANISHED);
      return Optional.empty();
    }
    return row;
  }

  private SessionRow make(Handle open, Wish wish, String id, Planned planned) {
    Optional<Sandbox> hinted = sources.hinted(open, wish);
    if (hinted.isEmpty()) {
      quota.reserve(open, wish, planned.order());
    }
    Sandbox sandbox = hinted.orElseGet(() -> sources.create(open, wish, planned));
    insert(open, wish, id, sandbox.id(), hinted.isEmpty(), planned.order().idleSeconds());
    keep(open, wish, id);
    var _ =
        sandboxes.apply(
            open, Change.note(sandbox.id(), "session.started").detail("session_id", id));
    return rows.find(open, principal(wish), wish.tenantId(), id).orElseThrow();
  }

  private void insert(
      Handle open, Wish wish, String id, SandboxId sandbox, boolean created, long idleSeconds) {
    open.createUpdate(INSERT)
        .bind("id", id)
        .bind("tenant", wish.tenantId())
        .bind("type", wish.scope().type().text())
        .bind("scope", wish.scope().id())
        .bind("sandbox", sandbox)
        .bind("created", created)
        .bind("lease", rules.afterToken(wish.heartbeat()).plus(rules.slack()).toSeconds())
        .bind("principal", principal(wish))
        .bind("user", wish.party().user())
        .bind("thread", wish.threadId())
        .bind("run", wish.runId())
        .bind("inputs", wish.inputsText().orElse(null))
        .bind("heartbeat", wish.heartbeat())
        .bind("idle", idleSeconds)
        .execute();
  }

  private void keep(Handle open, Wish wish, String id) {
    if (wish.key() != null && !idempotency.keep(open, wish.key(), id)) {
      throw new ProblemException(
          ErrorCode.INVALID_STATE,
          "a request with the same Idempotency-Key is under way; send it again");
    }
  }

  private static String principal(Wish wish) {
    return wish.party().principal().keyId();
  }

  /**
   * Refuses a wish for another profile or other inputs than the live session's.
   *
   * @throws ProblemException conflict
   */
  void checkFit(Wish wish, SessionRow row) {
    if (!sources.sameProfile(wish, row) || !sameInputs(wish, row)) {
      throw new ProblemException(
          wish.dialect().conflict(),
          "the live session of %s has profile %s@%d, or other inputs; release it, or leave them out"
              .formatted(wish.scope(), row.sandbox().profileId(), row.sandbox().profileVersion()));
    }
  }

  private static boolean sameInputs(Wish wish, SessionRow row) {
    return wish.inputs().isEmpty() || wish.inputsText().get().equals(row.inputs());
  }

  static ProblemException none(Wish wish) {
    return new ProblemException(
        wish.dialect().notFound(), "%s has no session".formatted(wish.scope()));
  }

  private static ProblemException bound(Wish wish) {
    return new ProblemException(
        wish.dialect().conflict(), "%s has a live session already".formatted(wish.scope()));
  }
}
