package dev.sandboxer.platform.provisioning;

import dev.sandboxer.platform.host.Hosts;
import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.ops.Failpoints;
import dev.sandboxer.platform.routing.Candidate;
import dev.sandboxer.platform.routing.Latencies;
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
import dev.sandboxer.spi.SandboxHandle;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jboss.logging.Logger;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * Moves one claimed sandbox on, step by step. The same steps serve a fresh create and the recovery
 * after a crash between any two of them.
 */
@ApplicationScoped
class Worker {

  private static final Logger LOG = Logger.getLogger(Worker.class);

  /** What the place may be to blame for, so that another one is tried. */
  private static final Set<ErrorCode> NEXT_CANDIDATE =
      EnumSet.of(ErrorCode.CAPACITY, ErrorCode.UNAVAILABLE, ErrorCode.TIMEOUT);

  private final Jdbi jdbi;
  private final Sandboxes sandboxes;
  private final Attempts attempts;
  private final Debts debts;
  private final Establisher establisher;
  private final Setups setups;
  private final Json json;
  private final Addresses addresses;
  private final Transports transports;
  private final Hosts hosts;
  private final Claims claims;
  private final Latencies latencies;
  private final Failpoints failpoints;
  private final Tracing tracing;

  /** The step of a sandbox that is to run, by its state; without one there is nothing to do. */
  private final Map<SandboxState, Step> steps;

  Worker(
      Jdbi jdbi,
      Sandboxes sandboxes,
      Attempts attempts,
      Debts debts,
      Establisher establisher,
      Setups setups,
      Suspensions suspensions,
      Json json,
      Addresses addresses,
      Transports transports,
      Hosts hosts,
      Claims claims,
      Latencies latencies,
      Failpoints failpoints,
      Tracing tracing) {
    this.jdbi = jdbi;
    this.sandboxes = sandboxes;
    this.attempts = attempts;
    this.debts = debts;
    this.establisher = establisher;
    this.setups = setups;
    this.json = json;
    this.addresses = addresses;
    this.transports = transports;
    this.hosts = hosts;
    this.claims = claims;
    this.latencies = latencies;
    this.failpoints = failpoints;
    this.tracing = tracing;
    this.steps =
        Map.of(
            SandboxState.REQUESTED, this::takeCandidate,
            SandboxState.PROVISIONING, this::establish,
            SandboxState.SUSPENDING, suspensions::suspend,
            SandboxState.SUSPENDED, suspensions::begin,
            SandboxState.RESUMING, suspensions::resume,
            SandboxState.EXPIRED, (work, _) -> destroy(work.sandbox()));
  }

  /** One step; gives the next state of the work if there is a further one. */
  @FunctionalInterface
  private interface Step {
    Optional<Work> take(Work work, Cancellation running) throws ClaimLostException;
  }

  /** Does what the sandbox needs next, until it needs nothing more or the claim is lost. */
  void work(Work claimed, Cancellation running) throws ClaimLostException {
    Optional<Work> work = Optional.of(claimed);
    while (work.isPresent() && !work.get().elsewhere()) {
      work = step(work.get().sandbox()).take(work.get(), running);
    }
  }

  private Step step(Sandbox sandbox) {
    return sandbox.desired() == Desired.GONE
        ? (work, _) -> destroy(work.sandbox())
        : steps.getOrDefault(sandbox.state(), (_, _) -> Optional.empty());
  }

  /** In the trace of who asked, whichever process goes on with it. */
  private Span span(String name, Sandbox sandbox) {
    return tracing
        .continues(name, sandbox.traceParent())
        .set("sandboxer.sandbox.id", sandbox.publicId())
        .set("sandboxer.generation", sandbox.generation())
        .set("sandboxer.claim", sandbox.claimToken());
  }

  /** A sandbox without an attempt, such as one of an earlier release. */
  private Optional<Work> takeCandidate(Work work, Cancellation running) throws ClaimLostException {
    Sandbox sandbox = work.sandbox();
    Optional<Work> next =
        jdbi.inTransaction(open -> begin(open, sandbox, attempts.tried(open, sandbox)));
    if (next.isEmpty()) {
      fail(
          sandbox,
          new ExtensionException(
              ErrorCode.UNAVAILABLE, "no candidate is left that could be tried; recreate it"),
          _ -> {});
    }
    return next;
  }

  /** Begins the attempt on the candidate after those that were tried; empty if there is none. */
  private Optional<Work> begin(Handle open, Sandbox sandbox, int tried) throws ClaimLostException {
    Optional<Attempts.Further> next = attempts.next(open, sandbox, tried);
    if (next.isEmpty()) {
      return Optional.empty();
    }
    Work work = must(sandbox, attempts.begin(open, sandbox, next.get()));
    if (hosts.reaches(open, next.get().candidate().host().id())) {
      return Optional.of(work);
    }
    return Optional.of(Work.leftTo(must(sandbox, claims.letGo(open, work.sandbox()))));
  }

  private Optional<Work> establish(Work work, Cancellation running) throws ClaimLostException {
    failpoints.reach("create.attempted");
    Sandbox sandbox = work.sandbox();
    Attempt begun = work.attempt();
    if (begun != null) {
      return establish(sandbox, begun, running);
    }
    Attempt attempt =
        find(sandbox)
            .orElseThrow(() -> new IllegalStateException("provisioning without an attempt"));
    String host = attempt.host().id();
    return jdbi.withHandle(open -> hosts.reaches(open, host))
        ? establish(sandbox, attempt, running)
        : settle(sandbox, attempt, cutOff(host));
  }

  /** Its node is gone, so the outcome of the call that was running there is unknown. */
  private static ExtensionException cutOff(String host) {
    return new ExtensionException(
        ErrorCode.UNAVAILABLE,
        Outcome.UNKNOWN,
        "the node that reaches host " + host + " went away while the sandbox was being made",
        null);
  }

  private Optional<Work> establish(Sandbox sandbox, Attempt picked, Cancellation running)
      throws ClaimLostException {
    try (Span create = span("sandbox.create", sandbox)) {
      try {
        Attempt attempt;
        switch (setups.prepare(sandbox, picked, running)) {
          case Setups.Next.Establish(Attempt prepared) -> attempt = prepared;
          case Setups.Next.Follow(Optional<String> layer) -> {
            return Optional.of(follow(sandbox, picked, layer));
          }
        }
        long began = System.nanoTime();
        Reachability reachability = establisher.establish(sandbox, attempt, running);
        Optional<Sandbox> unwanted = ready(sandbox, attempt, reachability);
        if (attempt.handle() == null) {
          latencies.ready(
              attempt.extension(),
              attempt.host().id(),
              Duration.ofNanos(System.nanoTime() - began));
        }
        failpoints.reach("create.ready");
        return unwanted.map(Work::of);
      } catch (ExtensionException e) {
        create.failed(e.code().name());
        return settle(sandbox, picked, e);
      }
    }
  }

  /** What ran the setup is to be removed; the sandbox begins on the same place. */
  private Work follow(Sandbox sandbox, Attempt over, Optional<String> layer)
      throws ClaimLostException {
    return jdbi.inTransaction(
        open -> {
          int _ = debts.oweAll(open, sandbox.id());
          Change requested =
              Change.to(sandbox.id(), SandboxState.REQUESTED)
                  .claimed(sandbox.claimToken())
                  .detail("attempt", over.number());
          Attempts.Further place =
              new Attempts.Further(over.candidate(), new Candidate(over.extension(), over.host()));
          Work work =
              must(
                  sandbox,
                  attempts.begin(open, must(sandbox, sandboxes.apply(open, requested)), place));
          if (layer.isEmpty()) {
            return work;
          }
          Attempt next =
              must(
                  sandbox,
                  attempts.layer(open, work.sandbox(), attemptId(work), layer.get(), false));
          return new Work(work.sandbox(), next);
        });
  }

  private static String attemptId(Work work) {
    return Objects.requireNonNull(work.sandbox().attemptId());
  }

  private Optional<Attempt> find(Sandbox sandbox) {
    return Optional.ofNullable(sandbox.attemptId())
        .flatMap(id -> jdbi.withHandle(open -> attempts.find(open, id)));
  }

  /** Gives the row if it is no longer to run. */
  private Optional<Sandbox> ready(Sandbox sandbox, Attempt attempt, Reachability reachability)
      throws ClaimLostException {
    transports.keep(sandbox, reachability.dataplane());
    Optional<Sandbox> ready =
        sandboxes.apply(
            Attempts.reached(
                readyChange(sandbox, reachability),
                attempt,
                reachability.providerUid(),
                addresses.text(attempt.id(), reachability.dataplane())));
    return ready.isPresent()
        ? Optional.empty()
        : Optional.of(mine(sandbox, row -> row.desired() == Desired.GONE));
  }

  /** The row now, while this worker has its claim. */
  private Sandbox mine(Sandbox sandbox, Predicate<Sandbox> also) throws ClaimLostException {
    return sandboxes
        .find(sandbox.id())
        .filter(row -> row.claimToken() == sandbox.claimToken())
        .filter(also)
        .orElseThrow(() -> new ClaimLostException(sandbox.id()));
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
        .detail("reachability", facts(sandbox, reachability));
  }

  /** How to reach it, for whoever only hears the event: never empty. */
  private static Map<String, String> facts(Sandbox sandbox, Reachability reachability) {
    Map<String, String> facts = new TreeMap<>(reachability.descriptors());
    facts.put("kind", Addresses.kind(reachability.dataplane()));
    if (reachability.dataplane() != null) {
      facts.put("dataplane", "/dp/" + sandbox.publicId() + "/v1");
    }
    return facts;
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

  /**
   * After a failed call: the end if that was requested meanwhile, else the next candidate if the
   * place may be to blame and there is one, else the sandbox has failed. What the call left is
   * recorded as clean-up debt in the same transaction.
   */
  private Optional<Work> settle(Sandbox sandbox, Attempt attempt, ExtensionException failure)
      throws ClaimLostException {
    Sandbox now = mine(sandbox, _ -> true);
    Consumer<Handle> owe =
        open -> debts.failed(open, attempt, failure, left(now, attempt, failure));
    if (now.desired() == Desired.GONE) {
      return destroy(now, owe);
    }
    if (NEXT_CANDIDATE.contains(failure.code())) {
      failpoints.reach("create.candidate_failed");
      Optional<Work> next = jdbi.inTransaction(open -> moveOn(open, now, attempt, failure, owe));
      if (next.isPresent()) {
        LOG.warnf(
            "next candidate sandbox=%s failed=%s next=%s code=%s message=%s",
            now.publicId(),
            attempt.extension(),
            next.get().sandbox().extensionId(),
            failure.code(),
            failure.getMessage());
        failpoints.reach("create.next_candidate");
        return next;
      }
    }
    fail(now, failure, owe);
    return Optional.empty();
  }

  private Optional<Work> moveOn(
      Handle open,
      Sandbox sandbox,
      Attempt attempt,
      ExtensionException failure,
      Consumer<Handle> owe)
      throws ClaimLostException {
    if (attempts.next(open, sandbox, attempt.candidate()).isEmpty()) {
      return Optional.empty();
    }
    owe.accept(open);
    Change requested =
        withFailure(Change.to(sandbox.id(), SandboxState.REQUESTED), failure)
            .claimed(sandbox.claimToken())
            .detail("attempt", attempt.number());
    return begin(open, must(sandbox, sandboxes.apply(open, requested)), attempt.candidate());
  }

  /**
   * What a failed call left. That nothing was created by it says nothing about the calls of a
   * worker that had the claim before.
   */
  private static Outcome left(Sandbox sandbox, Attempt attempt, ExtensionException failure) {
    if (!(failure.outcome() instanceof Outcome.NothingCreated)
        || attempt.claimToken() == sandbox.claimToken()) {
      return failure.outcome();
    }
    SandboxHandle handle = attempt.handle();
    return handle == null ? Outcome.UNKNOWN : new Outcome.Created(handle);
  }

  private void fail(Sandbox sandbox, ExtensionException failure, Consumer<Handle> owe)
      throws ClaimLostException {
    LOG.warnf(
        "sandbox failed id=%s code=%s outcome=%s message=%s",
        sandbox.publicId(), failure.code(), failure.outcome(), failure.getMessage());
    jdbi.useTransaction(
        open -> {
          owe.accept(open);
          int left = debts.open(open, sandbox.id());
          // In the same transaction: a worker that lost its claim must not record debt.
          var _ = must(sandbox, sandboxes.apply(open, failedChange(sandbox, failure, left)));
        });
  }

  private static Change failedChange(Sandbox sandbox, ExtensionException failure, int left) {
    Cleanup cleanup = left == 0 ? Cleanup.DONE : Cleanup.PENDING;
    return withFailure(Change.to(sandbox.id(), SandboxState.FAILED), failure)
        .claimed(sandbox.claimToken())
        .set("failure_code", failure.code().name())
        .set("failure_message", String.valueOf(failure.getMessage()))
        .set("failure_retryable", failure.retryable())
        .set("cleanup", cleanup.text())
        .setSql("ended_at", "clock_timestamp()")
        .release();
  }

  private static Change withFailure(Change change, ExtensionException failure) {
    return change
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

  private Optional<Work> destroy(Sandbox sandbox) throws ClaimLostException {
    return destroy(sandbox, _ -> {});
  }

  /**
   * Turns everything that was made into debt.
   *
   * @param before what is to be noted of a call that has just failed: an unknown outcome is debt
   *     for longer
   */
  private Optional<Work> destroy(Sandbox sandbox, Consumer<Handle> before)
      throws ClaimLostException {
    failpoints.reach("delete.claimed");
    boolean done;
    try (Span _ = span("sandbox.delete", sandbox)) {
      done = jdbi.inTransaction(open -> destroy(open, sandbox, before));
    }
    failpoints.reach(done ? "delete.done" : "delete.destroying");
    return Optional.empty();
  }

  private boolean destroy(Handle open, Sandbox sandbox, Consumer<Handle> before)
      throws ClaimLostException {
    must(sandbox, sandboxes.apply(open, destroyingChange(sandbox)));
    before.accept(open);
    return debts.oweAll(open, sandbox.id()) == 0 && settled(open, sandbox.id());
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

  /** Ends a sandbox if its attempts were all seen clean. */
  private boolean settled(Handle open, SandboxId sandboxId) {
    return sandboxes.apply(open, Cleaner.destroyed(sandboxId)).isPresent();
  }

  private static <T> T must(Sandbox sandbox, Optional<T> changed) throws ClaimLostException {
    return changed.orElseThrow(() -> new ClaimLostException(sandbox.id()));
  }
}
