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
   * Finds or makes the session of a request.
   *
   * @throws ProblemException not found, conflict, quota, or a reused Idempotency-Key
   * @throws InterruptedException if the waiting thread is interrupted
   */
  Started start(RequestedSession asked) throws InterruptedException {
    String name =
        "session/%s/%s/%s"
            .formatted(asked.tenantId(), asked.scope().type().text(), asked.scope().id());
    String id = ids.make("ssn");
    return turns.run(
        name, () -> plan(asked, id), (open, planned) -> start(open, asked, id, planned));
  }

  /** A session that lives needs no store of secrets and no folder. */
  private Planned plan(RequestedSession asked, String id) {
    Planned planned = sources.plan(asked, id);
    boolean whole = sources.needsMore(planned) && jdbi.withHandle(open -> makes(open, asked));
    return whole ? sources.whole(planned) : planned;
  }

  /** Whether a sandbox is going to be made, as far as that can be seen before. */
  private boolean makes(Handle open, RequestedSession asked) {
    return asked.mode() != Mode.ATTACH_ONLY
        && replayed(open, asked).isEmpty()
        && rows.live(open, principal(asked), asked.tenantId(), asked.scope())
            .filter(row -> !row.sandbox().dead())
            .isEmpty()
        && sources.hinted(open, asked).isEmpty();
  }

  private Started start(Handle open, RequestedSession asked, String id, Planned planned) {
    Optional<SessionRow> earlier = replayed(open, asked);
    if (earlier.isPresent()) {
      return new Started(earlier.get(), false, true);
    }
    Optional<SessionRow> live = live(open, asked);
    if (live.isPresent()) {
      if (asked.mode() == Mode.CREATE_ONLY) {
        throw bound(asked);
      }
      checkFit(asked, live.get());
      keep(open, asked, live.get().id());
      return new Started(live.get(), false, false);
    }
    if (asked.mode() == Mode.ATTACH_ONLY) {
      throw none(asked);
    }
    return new Started(make(open, asked, id, planned), true, false);
  }

  private Optional<SessionRow> replayed(Handle open, RequestedSession asked) {
    return asked.key() == null
        ? Optional.empty()
        : idempotency
            .find(open, asked.key())
            .flatMap(id -> rows.find(open, principal(asked), asked.tenantId(), id));
  }

  /** The scope's session, if its sandbox can still serve; one that cannot is ended here. */
  private Optional<SessionRow> live(Handle open, RequestedSession asked) {
    Optional<SessionRow> row = rows.live(open, principal(asked), asked.tenantId(), asked.scope());
    if (row.isPresent() && row.get().sandbox().dead()) {
      ends.end(open, row.get().id(), row.get().sandbox().id(), EndReason.VANISHED);
      return Optional.empty();
    }
    return row;
  }

  private SessionRow make(Handle open, RequestedSession asked, String id, Planned planned) {
    Optional<Sandbox> hinted = sources.hinted(open, asked);
    if (hinted.isEmpty()) {
      quota.reserve(open, asked, planned.order());
    }
    Sandbox sandbox = hinted.orElseGet(() -> sources.create(open, asked, planned));
    insert(open, asked, id, sandbox.id(), hinted.isEmpty(), planned.order().idleSeconds());
    keep(open, asked, id);
    var _ =
        sandboxes.apply(
            open, Change.note(sandbox.id(), "session.started").detail("session_id", id));
    return rows.find(open, principal(asked), asked.tenantId(), id).orElseThrow();
  }

  private void insert(
      Handle open,
      RequestedSession asked,
      String id,
      SandboxId sandbox,
      boolean created,
      long idleSeconds) {
    open.createUpdate(INSERT)
        .bind("id", id)
        .bind("tenant", asked.tenantId())
        .bind("type", asked.scope().type().text())
        .bind("scope", asked.scope().id())
        .bind("sandbox", sandbox)
        .bind("created", created)
        .bind("lease", rules.afterToken(asked.heartbeat()).plus(rules.slack()).toSeconds())
        .bind("principal", principal(asked))
        .bind("user", asked.onBehalfOf().user())
        .bind("thread", asked.threadId())
        .bind("run", asked.runId())
        .bind("inputs", asked.inputsText().orElse(null))
        .bind("heartbeat", asked.heartbeat())
        .bind("idle", idleSeconds)
        .execute();
  }

  private void keep(Handle open, RequestedSession asked, String id) {
    if (asked.key() != null && !idempotency.keep(open, asked.key(), id)) {
      throw new ProblemException(
          ErrorCode.INVALID_STATE,
          "a request with the same Idempotency-Key is under way; send it again");
    }
  }

  private static String principal(RequestedSession asked) {
    return asked.onBehalfOf().principal().keyId();
  }

  /**
   * Refuses a request for another profile or other inputs than the live session's.
   *
   * @throws ProblemException conflict
   */
  void checkFit(RequestedSession asked, SessionRow row) {
    if (!sources.sameProfile(asked, row) || !sameInputs(asked, row)) {
      throw new ProblemException(
          asked.dialect().conflict(),
          "the live session of %s has profile %s@%d, or other inputs; release it, or leave them out"
              .formatted(asked.scope(), row.sandbox().profileId(), row.sandbox().profileVersion()));
    }
  }

  private static boolean sameInputs(RequestedSession asked, SessionRow row) {
    return asked.inputs().isEmpty() || asked.inputsText().get().equals(row.inputs());
  }

  static ProblemException none(RequestedSession asked) {
    return new ProblemException(
        asked.dialect().notFound(), "%s has no session".formatted(asked.scope()));
  }

  private static ProblemException bound(RequestedSession asked) {
    return new ProblemException(
        asked.dialect().conflict(), "%s has a live session already".formatted(asked.scope()));
  }
}
