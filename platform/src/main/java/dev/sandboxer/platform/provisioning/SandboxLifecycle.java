package dev.sandboxer.platform.provisioning;

import dev.sandboxer.platform.extension.ExtensionRegistry;
import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.ops.Failpoints;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.platform.sandbox.Change;
import dev.sandboxer.platform.sandbox.Desired;
import dev.sandboxer.platform.sandbox.EndReason;
import dev.sandboxer.platform.sandbox.Sandbox;
import dev.sandboxer.platform.sandbox.SandboxState;
import dev.sandboxer.platform.sandbox.Sandboxes;
import dev.sandboxer.platform.trace.Tracing;
import dev.sandboxer.spi.Suspendable;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Optional;
import java.util.OptionalLong;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/** What callers may request of a sandbox that exists. Each request is one recorded change. */
@ApplicationScoped
public class SandboxLifecycle {

  private final Jdbi jdbi;
  private final Sandboxes sandboxes;
  private final Claims claims;
  private final WorkLoop loop;
  private final ExtensionRegistry extensions;
  private final Failpoints failpoints;
  private final Tracing tracing;

  SandboxLifecycle(
      Jdbi jdbi,
      Sandboxes sandboxes,
      Claims claims,
      WorkLoop loop,
      ExtensionRegistry extensions,
      Failpoints failpoints,
      Tracing tracing) {
    this.jdbi = jdbi;
    this.extensions = extensions;
    this.sandboxes = sandboxes;
    this.claims = claims;
    this.loop = loop;
    this.failpoints = failpoints;
    this.tracing = tracing;
  }

  /**
   * Requests a sandbox's end in the caller's transaction. Repeatable.
   *
   * @param open the transaction
   * @param id of the sandbox
   * @param reason why, unless one is recorded already
   */
  public void end(Handle open, SandboxId id, EndReason reason) {
    sandboxes
        .apply(open, gone(id, reason))
        .ifPresent(row -> open.afterCommit(() -> loop.nudge(row.id())));
  }

  /**
   * Requests a sandbox's end. Repeatable.
   *
   * @param sandbox as read
   * @return the row now
   */
  public Sandbox delete(Sandbox sandbox) {
    Optional<Sandbox> mine =
        loop.runs(sandbox.id())
            ? Optional.empty() // its running call is cancelled instead
            : sandboxes.apply(claims.take(gone(sandbox.id(), EndReason.REQUESTED)));
    if (mine.isPresent()) {
      failpoints.reach("delete.wanted");
      loop.begin(Work.of(mine.get()));
      return mine.get();
    }
    Optional<Sandbox> requested = sandboxes.apply(gone(sandbox.id(), EndReason.REQUESTED));
    failpoints.reach("delete.wanted");
    requested.ifPresent(row -> loop.nudge(row.id()));
    return requested.orElseGet(() -> now(sandbox));
  }

  private Change gone(SandboxId id, EndReason reason) {
    return Change.quiet(id)
        .when("state not in ('destroying', 'destroyed')")
        .set("desired", Desired.GONE.text())
        .setSql("due_at", "clock_timestamp()")
        .setSql("end_reason", "coalesce(end_reason, :reason)", "reason", reason.text())
        .setSql(
            "trace_parent",
            "case when desired = 'gone' then trace_parent else :trace end",
            "trace",
            tracing.header());
  }

  /**
   * Moves the end of the TTL, counted from now, never beyond the hard limit.
   *
   * @param sandbox as read
   * @param ttlSeconds from now
   * @return the row now
   * @throws ProblemException INVALID_STATE if it is not alive
   */
  public Sandbox extendTtl(Sandbox sandbox, long ttlSeconds) {
    return sandboxes
        .apply(
            Change.quiet(sandbox.id())
                .from(
                    SandboxState.REQUESTED,
                    SandboxState.PROVISIONING,
                    SandboxState.READY,
                    SandboxState.ACTIVE,
                    SandboxState.SUSPENDED)
                .when("desired <> 'gone'")
                .set("ttl_seconds", ttlSeconds)
                .setSql(
                    "expires_at",
                    """
                    case when expires_at is null then null else
                      least(clock_timestamp() + make_interval(secs => :ttl_seconds),
                        hard_expires_at) end
                    """))
        .orElseThrow(() -> invalid(now(sandbox), "its TTL cannot be extended"));
  }

  /**
   * How long a sandbox may be unused before that ends it.
   *
   * @param sandbox as read
   * @return in seconds; empty where only its TTL and its session end it
   */
  public OptionalLong idleSeconds(Sandbox sandbox) {
    return sandboxes.idleSeconds(sandbox.id());
  }

  /**
   * Marks a ready sandbox as in use.
   *
   * @param sandbox as read
   * @return the row now
   * @throws ProblemException INVALID_STATE unless it is ready or active
   */
  public Sandbox activate(Sandbox sandbox) {
    Optional<Sandbox> changed =
        sandboxes.apply(
            Change.to(sandbox.id(), SandboxState.ACTIVE)
                .when("desired = 'running'")
                .setSql("active_at", "coalesce(active_at, clock_timestamp())"));
    Sandbox now = changed.orElseGet(() -> now(sandbox));
    if (now.state() != SandboxState.ACTIVE || now.desired() == Desired.GONE) {
      throw invalid(now, "it cannot be activated");
    }
    return now;
  }

  /**
   * Requests that a sandbox is suspended. Repeatable.
   *
   * @param sandbox as read
   * @return the row now
   * @throws ProblemException INVALID_STATE if it does not run, UNSUPPORTED if its backend cannot
   */
  public Sandbox suspend(Sandbox sandbox) {
    if (!canSuspend(sandbox)) {
      throw new ProblemException(
          ErrorCode.UNSUPPORTED,
          "%s cannot suspend sandboxes; delete it, or create it where 'on_idle: suspend' is possible"
              .formatted(sandbox.extensionId()));
    }
    Optional<Sandbox> changed = asked(suspending(sandbox.id()));
    changed.ifPresent(row -> loop.nudge(row.id()));
    Sandbox now = changed.orElseGet(() -> now(sandbox));
    if (now.desired() != Desired.SUSPENDED || !now.state().up()) {
      throw invalid(now, "it cannot be suspended");
    }
    return now;
  }

  /** Also wakes the node that alone reaches its host. */
  private Optional<Sandbox> asked(Change change) {
    return jdbi.inTransaction(
        open -> {
          Optional<Sandbox> changed = sandboxes.apply(open, change);
          changed.ifPresent(row -> WorkSignal.send(open, row.hostId()));
          return changed;
        });
  }

  private boolean canSuspend(Sandbox sandbox) {
    return extensions
        .find(sandbox.extensionId().text())
        .filter(Suspendable.class::isInstance)
        .isPresent();
  }

  /**
   * The change that begins a suspension.
   *
   * @param id of the sandbox
   * @return from ready and active alone
   */
  public static Change suspending(SandboxId id) {
    return Change.to(id, SandboxState.SUSPENDING)
        .from(SandboxState.READY, SandboxState.ACTIVE)
        .when("desired = 'running'")
        .set("desired", Desired.SUSPENDED.text())
        .setSql("due_at", "clock_timestamp()");
  }

  /**
   * Requests that a sandbox runs again. Repeatable.
   *
   * @param sandbox as read
   * @return the row now
   * @throws ProblemException INVALID_STATE if it neither runs nor is suspended
   */
  public Sandbox resume(Sandbox sandbox) {
    Optional<Sandbox> changed =
        asked(
            Change.quiet(sandbox.id())
                .from(SandboxState.SUSPENDING, SandboxState.SUSPENDED)
                .when("desired = 'suspended'")
                .set("desired", Desired.RUNNING.text())
                .setSql("due_at", "clock_timestamp()"));
    // A suspension that is under way is not cancelled: its worker sees what was requested.
    changed.filter(row -> !loop.runs(row.id())).ifPresent(row -> loop.nudge(row.id()));
    Sandbox now = changed.orElseGet(() -> now(sandbox));
    if (now.desired() != Desired.RUNNING || !now.state().up()) {
      throw invalid(now, "it cannot be resumed");
    }
    return now;
  }

  private Sandbox now(Sandbox sandbox) {
    return sandboxes.find(sandbox.id()).orElseThrow();
  }

  private static ProblemException invalid(Sandbox sandbox, String what) {
    return new ProblemException(
        ErrorCode.INVALID_STATE,
        "the sandbox is %s (desired %s): %s"
            .formatted(sandbox.state().text(), sandbox.desired().text(), what));
  }
}
