package dev.sandboxer.platform.provisioning;

import dev.sandboxer.platform.ops.Failpoints;
import dev.sandboxer.platform.problem.Problem;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.platform.routing.Candidate;
import dev.sandboxer.platform.routing.Route;
import dev.sandboxer.platform.routing.Router;
import dev.sandboxer.platform.sandbox.Change;
import dev.sandboxer.platform.sandbox.Cleanup;
import dev.sandboxer.platform.sandbox.Condition;
import dev.sandboxer.platform.sandbox.Desired;
import dev.sandboxer.platform.sandbox.EndReason;
import dev.sandboxer.platform.sandbox.Sandbox;
import dev.sandboxer.platform.sandbox.SandboxState;
import dev.sandboxer.platform.sandbox.Sandboxes;
import dev.sandboxer.platform.trace.Span;
import dev.sandboxer.platform.trace.Tracing;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Limit;
import dev.sandboxer.spi.Outcome;
import dev.sandboxer.spi.Reachability;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;
import org.jboss.logging.Logger;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * Moves one claimed sandbox on, from whatever step it is at. The same code serves a fresh create
 * and the recovery after a crash between any two steps.
 */
@ApplicationScoped
class Worker {

  private static final Logger LOG = Logger.getLogger(Worker.class);

  private final Jdbi jdbi;
  private final Sandboxes sandboxes;
  private final Attempts attempts;
  private final Debts debts;
  private final Establisher establisher;
  private final Router router;
  private final Json json;
  private final Failpoints failpoints;
  private final Tracing tracing;

  Worker(
      Jdbi jdbi,
      Sandboxes sandboxes,
      Attempts attempts,
      Debts debts,
      Establisher establisher,
      Router router,
      Json json,
      Failpoints failpoints,
      Tracing tracing) {
    this.jdbi = jdbi;
    this.sandboxes = sandboxes;
    this.attempts = attempts;
    this.debts = debts;
    this.establisher = establisher;
    this.router = router;
    this.json = json;
    this.failpoints = failpoints;
    this.tracing = tracing;
  }

  /** Does what the sandbox needs next, until it needs nothing more or the claim is lost. */
  void work(Sandbox sandbox, Cancellation running) throws ClaimLostException {
    if (sandbox.desired() == Desired.GONE || sandbox.state() == SandboxState.EXPIRED) {
      destroy(sandbox);
    } else {
      try (Span create = span("sandbox.create", sandbox)) {
        if (sandbox.state() == SandboxState.REQUESTED) {
          start(sandbox, running, create);
        } else if (sandbox.state() == SandboxState.PROVISIONING) {
          resume(sandbox, running, create);
        }
      }
    }
  }

  /** In the trace of who asked, whichever process goes on with it. */
  private Span span(String name, Sandbox sandbox) {
    return tracing
        .continues(name, sandbox.traceParent())
        .set("sandboxer.sandbox.id", sandbox.publicId())
        .set("sandboxer.generation", sandbox.generation())
        .set("sandboxer.claim", sandbox.claimToken());
  }

  private Route routed(Sandbox sandbox) {
    try (Span span = tracing.step("sandbox.route")) {
      Route route = router.route(sandbox, json.spec(sandbox.spec()));
      span.set("sandboxer.candidates", route.candidates().size());
      return route;
    }
  }

  private void start(Sandbox sandbox, Cancellation running, Span create) throws ClaimLostException {
    Route route = routed(sandbox);
    if (route.candidates().isEmpty()) {
      ExtensionException none =
          new ExtensionException(
              ErrorCode.UNSUPPORTED, String.join("; ", route.rejected().values()));
      create.failed(none.code().name());
      fail(sandbox, none);
      return;
    }
    failpoints.reach("create.claimed");
    resume(must(sandbox, jdbi.inTransaction(open -> begin(open, sandbox, route))), running, create);
  }

  /**
   * Writes the attempt of a sandbox that was just recorded, in the same transaction: a create then
   * costs one commit less.
   *
   * @return the row now
   * @throws ProblemException NO_CANDIDATE if no backend can ever run it; the record is undone
   */
  Sandbox begin(Handle open, Sandbox recorded) {
    Route route = routed(recorded);
    if (route.candidates().isEmpty()) {
      throw new ProblemException(
          Problem.of(
                  dev.sandboxer.platform.problem.ErrorCode.NO_CANDIDATE,
                  "no backend can run %s: %s"
                      .formatted(
                          recorded.profileId(), String.join("; ", route.rejected().values())))
              .with("rejected", route.rejected())
              .with("profile_key", String.join(", ", route.profileKeys())));
    }
    return begin(open, recorded, route).orElseThrow();
  }

  private Optional<Sandbox> begin(Handle open, Sandbox sandbox, Route route) {
    Candidate candidate = route.candidates().getFirst();
    Attempt attempt = attempts.start(open, sandbox, candidate);
    return sandboxes.apply(
        open,
        Change.to(sandbox.id(), SandboxState.PROVISIONING)
            .claimed(sandbox.claimToken())
            .set("attempt_id", attempt.id())
            .set("host_id", candidate.host().id())
            .detail("attempt", attempt.number())
            .detail("rejected", route.rejected()));
  }

  private void resume(Sandbox sandbox, Cancellation running, Span create)
      throws ClaimLostException {
    failpoints.reach("create.attempted");
    String attemptId = sandbox.attemptId();
    Optional<Attempt> attempt =
        attemptId == null
            ? Optional.empty()
            : jdbi.withHandle(open -> attempts.find(open, attemptId));
    establish(
        sandbox,
        attempt.orElseThrow(() -> new IllegalStateException("provisioning without an attempt")),
        running,
        create);
  }

  private void establish(Sandbox sandbox, Attempt attempt, Cancellation running, Span create)
      throws ClaimLostException {
    try {
      Reachability reachability = establisher.establish(sandbox, attempt, running);
      ready(sandbox, attempt, reachability);
      failpoints.reach("create.ready");
    } catch (ExtensionException e) {
      create.failed(e.code().name());
      settle(sandbox, e);
    }
  }

  private void ready(Sandbox sandbox, Attempt attempt, Reachability reachability)
      throws ClaimLostException {
    Optional<Sandbox> wanted =
        jdbi.inTransaction(
            open -> {
              attempts.ready(
                  open,
                  attempt.id(),
                  reachability.providerUid(),
                  json.address(reachability.dataplane()));
              return sandboxes.apply(open, readyChange(sandbox, reachability));
            });
    if (wanted.isEmpty()) {
      destroyIfUnwanted(sandbox);
    }
  }

  private Change readyChange(Sandbox sandbox, Reachability reachability) {
    return Change.to(sandbox.id(), SandboxState.READY)
        .claimed(sandbox.claimToken())
        .when("desired = 'running'")
        .setJson("descriptors", json.text(reachability.descriptors()))
        .setJson("conditions", json.text(conditions(reachability)))
        .setSql("ready_at", "clock_timestamp()")
        .setSql(
            "expires_at",
            "least(clock_timestamp() + make_interval(secs => ttl_seconds), hard_expires_at)")
        .release()
        .detail("reachability", reachability.descriptors());
  }

  private static List<Condition> conditions(Reachability reachability) {
    if (reachability.notEnforced().isEmpty()) {
      return List.of();
    }
    List<String> limits =
        reachability.notEnforced().stream()
            .sorted()
            .map(Limit::name)
            .map(name -> name.toLowerCase(Locale.ROOT))
            .toList();
    return List.of(new Condition("not_enforced", limits));
  }

  /** A failed call: gone if that is what was wanted meanwhile, else failed. */
  private void settle(Sandbox sandbox, ExtensionException failure) throws ClaimLostException {
    Sandbox now =
        sandboxes
            .find(sandbox.id())
            .filter(row -> row.claimToken() == sandbox.claimToken())
            .orElseThrow(() -> new ClaimLostException(sandbox.id()));
    if (now.desired() == Desired.GONE) {
      destroy(now, open -> debts.failed(open, now, failure));
    } else {
      fail(now, failure);
    }
  }

  private void destroyIfUnwanted(Sandbox sandbox) throws ClaimLostException {
    Sandbox now =
        sandboxes
            .find(sandbox.id())
            .filter(row -> row.claimToken() == sandbox.claimToken())
            .filter(row -> row.desired() == Desired.GONE)
            .orElseThrow(() -> new ClaimLostException(sandbox.id()));
    destroy(now);
  }

  private void fail(Sandbox sandbox, ExtensionException failure) throws ClaimLostException {
    LOG.warnf(
        "sandbox failed id=%s code=%s outcome=%s message=%s",
        sandbox.publicId(), failure.code(), failure.outcome(), failure.getMessage());
    must(
        sandbox,
        jdbi.inTransaction(
            open -> {
              debts.failed(open, sandbox, failure);
              int left = debts.open(open, sandbox.id());
              return sandboxes.apply(open, failedChange(sandbox, failure, left));
            }));
  }

  private static Change failedChange(Sandbox sandbox, ExtensionException failure, int left) {
    Cleanup cleanup = left == 0 ? Cleanup.DONE : Cleanup.PENDING;
    return Change.to(sandbox.id(), SandboxState.FAILED)
        .claimed(sandbox.claimToken())
        .set("failure_code", failure.code().name())
        .set("failure_message", String.valueOf(failure.getMessage()))
        .set("failure_retryable", failure.retryable())
        .set("cleanup", cleanup.text())
        .setSql("ended_at", "clock_timestamp()")
        .release()
        .detail("error", String.valueOf(failure.getMessage()))
        .detail("code", failure.code().name())
        .detail("outcome", outcome(failure.outcome()));
  }

  static String outcome(Outcome outcome) {
    return switch (outcome) {
      case Outcome.NothingCreated _ -> "nothing_created";
      case Outcome.Created _ -> "created";
      case Outcome.Unknown _ -> "unknown";
    };
  }

  private void destroy(Sandbox sandbox) throws ClaimLostException {
    destroy(sandbox, _ -> {});
  }

  /**
   * Turns everything that was made into debt.
   *
   * @param before what is to be noted of a call that has just failed: an unknown outcome is debt
   *     for longer
   */
  private void destroy(Sandbox sandbox, Consumer<Handle> before) throws ClaimLostException {
    failpoints.reach("delete.claimed");
    boolean done;
    try (Span _ = span("sandbox.delete", sandbox)) {
      done = jdbi.inTransaction(open -> destroy(open, sandbox, before));
    }
    failpoints.reach(done ? "delete.done" : "delete.destroying");
  }

  private boolean destroy(Handle open, Sandbox sandbox, Consumer<Handle> before)
      throws ClaimLostException {
    must(sandbox, sandboxes.apply(open, destroyingChange(sandbox)));
    before.accept(open);
    debts.oweAll(open, sandbox.id());
    return debts.open(open, sandbox.id()) == 0 && settled(open, sandbox.id());
  }

  private static Change destroyingChange(Sandbox sandbox) {
    return Change.to(sandbox.id(), SandboxState.DESTROYING)
        .claimed(sandbox.claimToken())
        .set("desired", Desired.GONE.text())
        .set("cleanup", Cleanup.PENDING.text())
        .setSql("end_reason", "coalesce(end_reason, '" + EndReason.REQUESTED.text() + "')")
        .setSql("ended_at", "coalesce(ended_at, clock_timestamp())")
        .release();
  }

  /** Ends a sandbox whose attempts were all seen clean. */
  private boolean settled(Handle open, String sandboxId) {
    return sandboxes.apply(open, Cleaner.destroyed(sandboxId)).isPresent();
  }

  private static Sandbox must(Sandbox sandbox, Optional<Sandbox> changed)
      throws ClaimLostException {
    return changed.orElseThrow(() -> new ClaimLostException(sandbox.id()));
  }
}
