package dev.sandboxer.platform.session;

import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.Problem;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.platform.provisioning.Waiters;
import dev.sandboxer.platform.sandbox.EndReason;
import dev.sandboxer.platform.sandbox.SandboxState;
import dev.sandboxer.platform.token.Capability;
import dev.sandboxer.platform.token.TokenClaims;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Jdbi;

/** Negotiates sessions: finds the scope's, makes one, waits for its sandbox, hands out a token. */
@ApplicationScoped
public class Sessions {

  /** Longer waits look again, so that a sandbox whose node is gone is not waited for in vain. */
  private static final Duration LOOK_AGAIN = Duration.ofSeconds(1);

  private final Jdbi jdbi;
  private final SessionRows rows;
  private final SessionStart starts;
  private final SessionTokens tokens;
  private final CapabilityPolicy policy;
  private final Waiters waiters;
  private final SessionEnds ends;
  private final ScopeEnds scopeEnds;

  Sessions(
      Jdbi jdbi,
      SessionRows rows,
      SessionStart starts,
      SessionTokens tokens,
      CapabilityPolicy policy,
      Waiters waiters,
      SessionEnds ends,
      ScopeEnds scopeEnds) {
    this.jdbi = jdbi;
    this.rows = rows;
    this.starts = starts;
    this.tokens = tokens;
    this.policy = policy;
    this.waiters = waiters;
    this.ends = ends;
    this.scopeEnds = scopeEnds;
  }

  /**
   * Gives a token for the session of a scope, made if the request allows it.
   *
   * @param asked checked
   * @return never a session whose sandbox is known to be dead
   * @throws ProblemException as the table of docs/sessions.md says
   * @throws InterruptedException if the waiting thread is interrupted
   */
  public Granted negotiate(RequestedSession asked) throws InterruptedException {
    policy.checkScope(asked.onBehalfOf(), asked.scope());
    var _ = policy.grant(asked.onBehalfOf(), Capability.grantable(), asked.requested());
    long end = System.nanoTime() + asked.patience().toNanos();
    Optional<SessionStart.Started> mine = Optional.empty();
    while (true) {
      SessionStart.Started now = look(asked, mine);
      if (mine.isEmpty() && (now.made() || asked.key() != null)) {
        mine = Optional.of(now);
      }
      SessionRow row = now.row();
      boolean byMe = mine.filter(known -> known.row().id().equals(row.id())).isPresent();
      if (!row.live()) {
        if (byMe) {
          throw over(asked, row);
        }
        continue;
      }
      List<String> warnings = check(asked, row, byMe);
      if (row.sandbox().state().reachable() || row.sandbox().state() == SandboxState.SUSPENDED) {
        Optional<Granted> granted = tokens.grant(asked, row);
        if (granted.isPresent()) {
          return with(granted.get(), warnings, mine);
        }
      } else {
        await(asked, row, end);
      }
    }
  }

  /** The session that this request has made or that its key stands for, else the scope's. */
  private SessionStart.Started look(RequestedSession asked, Optional<SessionStart.Started> mine)
      throws InterruptedException {
    String principal = asked.onBehalfOf().principal().keyId();
    if (mine.isPresent()) {
      SessionStart.Started known = mine.get();
      SessionRow row =
          jdbi.withHandle(
              handle ->
                  rows.find(handle, principal, asked.tenantId(), known.row().id()).orElseThrow());
      return new SessionStart.Started(row, false, known.replayed());
    }
    Optional<SessionRow> live =
        asked.mode() == Mode.CREATE_ONLY || asked.key() != null
            ? Optional.empty()
            : jdbi.withHandle(
                handle -> rows.live(handle, principal, asked.tenantId(), asked.scope()));
    if (live.filter(SessionRow::live).isPresent()) {
      return new SessionStart.Started(live.get(), false, false);
    }
    if (asked.mode() == Mode.ATTACH_ONLY) {
      throw SessionStart.none(asked);
    }
    return starts.start(asked);
  }

  private List<String> check(RequestedSession asked, SessionRow row, boolean byMe) {
    if (!byMe) {
      starts.checkFit(asked, row);
    }
    List<String> warnings = new ArrayList<>(asked.warnings());
    asked
        .sandboxHint()
        .filter(hint -> !hint.equals(row.sandbox().id().raw()))
        .ifPresent(
            hint ->
                warnings.add(
                    "sandbox_hint was ignored: it names no live, unbound sandbox of yours, or the"
                        + " scope is bound already"));
    asked
        .provider()
        .filter(provider -> !provider.equals(row.sandbox().extensionId()))
        .ifPresent(_ -> warnings.add("provider_preference was ignored: the scope is bound"));
    return warnings;
  }

  private void await(RequestedSession asked, SessionRow row, long end) throws InterruptedException {
    long left = asked.mode() == Mode.ATTACH_ONLY ? 0 : end - System.nanoTime();
    if (left <= 0) {
      throw new ProblemException(
          Problem.of(
                  ErrorCode.SANDBOX_STARTING,
                  "the sandbox is %s; send the same request again"
                      .formatted(row.sandbox().state().text()))
              .with("session_id", row.id())
              .with("sandbox_id", row.sandbox().publicId()));
    }
    Duration limit = Duration.ofNanos(Math.min(left, LOOK_AGAIN.toNanos()));
    var _ = waiters.await(row.sandbox().id(), sandbox -> sandbox.state().settled(), limit);
  }

  private static Granted with(
      Granted granted, List<String> warnings, Optional<SessionStart.Started> mine) {
    return new Granted(
        granted.session(),
        granted.leaseUntil(),
        granted.token(),
        granted.capabilities(),
        warnings,
        mine.filter(SessionStart.Started::replayed).isPresent());
  }

  private static ProblemException over(RequestedSession asked, SessionRow row) {
    SessionRow.Bound sandbox = row.sandbox();
    if (sandbox.failureCode() == null) {
      return new ProblemException(
          ErrorCode.SESSION_EXPIRED,
          "session %s has ended (%s); ask again without or with a new Idempotency-Key"
              .formatted(row.id(), row.endReason()));
    }
    return new ProblemException(
        Problem.of(
                asked.dialect().unavailable(),
                "no sandbox could be made: %s: %s"
                    .formatted(sandbox.failureCode(), sandbox.failureMessage()))
            .with("sandbox_id", sandbox.publicId()));
  }

  /**
   * Looks at a session.
   *
   * @param onBehalfOf who asks
   * @param dialect how errors are named
   * @param id of the session
   * @return the session, ended ones too
   * @throws ProblemException not found
   */
  public SessionRow find(OnBehalfOf onBehalfOf, ProtocolDialect dialect, String id) {
    SessionRow row =
        jdbi.withHandle(
                handle ->
                    rows.find(
                        handle,
                        onBehalfOf.principal().keyId(),
                        onBehalfOf.principal().tenantId(),
                        id))
            .orElseThrow(
                () ->
                    new ProblemException(
                        dialect.notFound(), "there is no session '%s'".formatted(id)));
    policy.checkScope(onBehalfOf, row.scope());
    return row;
  }

  /**
   * Gives a new token.
   *
   * @param onBehalfOf who asks
   * @param dialect how errors are named
   * @param id of the session
   * @return no more capabilities than this onBehalfOf was granted before
   * @throws ProblemException not found, expired, or starting
   */
  public Granted refresh(OnBehalfOf onBehalfOf, ProtocolDialect dialect, String id) {
    return tokens.refresh(onBehalfOf, usable(find(onBehalfOf, dialect, id)));
  }

  /**
   * Gives a new token for one that is still good, with the same capabilities at most.
   *
   * @param onBehalfOf who asks, with a key of its own
   * @param claims of the present token
   * @return for the same thread and run
   * @throws ProblemException FORBIDDEN if the token was given to another key, SESSION_EXPIRED if
   *     session, thread or run have ended, or the token was revoked
   */
  public Granted renew(OnBehalfOf onBehalfOf, TokenClaims claims) {
    if (!onBehalfOf.principal().keyId().equals(claims.clientId()) || claims.sessionId() == null) {
      throw new ProblemException(
          ErrorCode.FORBIDDEN, "the token was not given to this key by /sandbox/acquire");
    }
    SessionRow row = usable(find(onBehalfOf, ProtocolDialect.SHORT, claims.sessionId()));
    boolean counts = claims.countsFor(row.sandbox().generation(), row.minEpoch());
    if (!counts || scopeEnds.ended(row.tenantId(), claims)) {
      throw expired(row);
    }
    return tokens.renewed(
        onBehalfOf, row, Optional.of(claims.capabilities()), claims.threadId(), claims.runId());
  }

  /**
   * Ends the live sessions of a sandbox. Repeatable.
   *
   * @param onBehalfOf who asks
   * @param sandboxId raw id, or whatever a caller sent
   * @return all that the sandbox ever had, as they were before
   * @throws ProblemException not found if it never had one of this tenant
   */
  public List<SessionRow> releaseSandbox(OnBehalfOf onBehalfOf, String sandboxId) {
    List<SessionRow> rows =
        jdbi.withHandle(
            handle ->
                this.rows.ofSandbox(
                    handle,
                    onBehalfOf.principal().keyId(),
                    onBehalfOf.principal().tenantId(),
                    sandboxId));
    if (rows.isEmpty()) {
      throw new ProblemException(
          ProtocolDialect.SHORT.notFound(),
          "there is no session of a sandbox '%s'".formatted(sandboxId));
    }
    rows.stream()
        .filter(row -> row.endedAt() == null)
        .forEach(row -> release(onBehalfOf, ProtocolDialect.SHORT, row.id()));
    return rows;
  }

  /**
   * Ends a thread, run or other scope and everything bound to it. Repeatable.
   *
   * @param onBehalfOf who asks
   * @param scope to end
   * @return how many sessions have ended by this
   */
  public int endScope(OnBehalfOf onBehalfOf, Scope scope) {
    policy.checkScope(onBehalfOf, scope);
    return scopeEnds.end(onBehalfOf.principal().tenantId(), scope);
  }

  /** Refuses sessions that are over, and those whose sandbox is not there yet. */
  SessionRow usable(SessionRow row) {
    if (!row.live()) {
      throw expired(row);
    }
    if (!row.sandbox().state().reachable() && row.sandbox().state() != SandboxState.SUSPENDED) {
      throw new ProblemException(
          ErrorCode.SANDBOX_STARTING,
          "the sandbox is %s; try again".formatted(row.sandbox().state().text()));
    }
    return row;
  }

  /**
   * Prolongs the lease.
   *
   * @param onBehalfOf who asks
   * @param id of the session
   * @return the session and the new end of its lease
   * @throws ProblemException not found or expired
   */
  public Beat heartbeat(OnBehalfOf onBehalfOf, String id) {
    SessionRow row = find(onBehalfOf, ProtocolDialect.FULL, id);
    if (!row.live()) {
      throw expired(row);
    }
    return new Beat(row, tokens.beat(row).orElseThrow(() -> expired(row)));
  }

  /**
   * Ends a session, and its sandbox if that was made for it and nobody else has it. Repeatable.
   *
   * @param onBehalfOf who asks
   * @param dialect how errors are named
   * @param id of the session
   * @return as it was before
   * @throws ProblemException not found
   */
  public SessionRow release(OnBehalfOf onBehalfOf, ProtocolDialect dialect, String id) {
    SessionRow row = find(onBehalfOf, dialect, id);
    jdbi.useTransaction(open -> ends.end(open, row.id(), row.sandbox().id(), EndReason.RELEASED));
    return row;
  }

  static ProblemException expired(SessionRow row) {
    return new ProblemException(
        ErrorCode.SESSION_EXPIRED,
        "session %s has ended%s; ask for a new one"
            .formatted(row.id(), row.endReason() == null ? "" : " (" + row.endReason() + ")"));
  }

  /**
   * An answered heartbeat.
   *
   * @param session as read
   * @param leaseUntil end of the lease
   */
  public record Beat(SessionRow session, Instant leaseUntil) {}
}
