package dev.sandboxer.platform.provisioning;

import dev.sandboxer.platform.egress.EgressProxy.EgressException;
import dev.sandboxer.platform.ops.Failpoints;
import dev.sandboxer.platform.sandbox.Change;
import dev.sandboxer.platform.sandbox.Condition;
import dev.sandboxer.platform.sandbox.Desired;
import dev.sandboxer.platform.sandbox.Sandbox;
import dev.sandboxer.platform.sandbox.SandboxState;
import dev.sandboxer.platform.sandbox.Sandboxes;
import dev.sandboxer.platform.trace.Span;
import dev.sandboxer.platform.trace.Tracing;
import dev.sandboxer.spi.DataplaneAddress;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Inspection;
import dev.sandboxer.spi.Reachability;
import dev.sandboxer.spi.SandboxHandle;
import dev.sandboxer.spi.Suspendable;
import dev.sandboxer.spi.secret.SecretException;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jboss.logging.Logger;
import org.jdbi.v3.core.Jdbi;

/**
 * Suspends and resumes claimed sandboxes. Both calls are idempotent, so a worker that takes over
 * makes them again. After one that failed, the backend says what the sandbox is.
 */
@ApplicationScoped
class Suspensions {

  private static final Logger LOG = Logger.getLogger(Suspensions.class);
  private static final int RETRY_SECONDS = 5;

  /** A condition: the last attempt to resume failed, and why. */
  static final String NOT_RESUMED = "not_resumed";

  private static final String NOT_SUSPENDED = "not_suspended";

  /** The claim is kept where more is to be done. */
  private static final String UNLESS_WANTED =
      "case when desired = 'suspended' then null else %1$s end";

  private static final String WITHOUT_FAILURES =
      """
      (select coalesce(jsonb_agg(c), '[]') from jsonb_array_elements(conditions) c
       where c ->> 'type' not in ('%s', '%s'))
      """
          .formatted(NOT_SUSPENDED, NOT_RESUMED);

  private final Jdbi jdbi;
  private final Sandboxes sandboxes;
  private final Attempts attempts;
  private final Backends backends;
  private final LifeCheck lives;
  private final Claims claims;
  private final Transports transports;
  private final Addresses addresses;
  private final WaysOut ways;
  private final Json json;
  private final Failpoints failpoints;
  private final Tracing tracing;

  Suspensions(
      Jdbi jdbi,
      Sandboxes sandboxes,
      Attempts attempts,
      Backends backends,
      LifeCheck lives,
      Claims claims,
      Transports transports,
      Addresses addresses,
      WaysOut ways,
      Json json,
      Failpoints failpoints,
      Tracing tracing) {
    this.jdbi = jdbi;
    this.sandboxes = sandboxes;
    this.attempts = attempts;
    this.backends = backends;
    this.lives = lives;
    this.claims = claims;
    this.transports = transports;
    this.addresses = addresses;
    this.ways = ways;
    this.json = json;
    this.failpoints = failpoints;
    this.tracing = tracing;
  }

  /** A step of the worker: suspends a sandbox that is suspending. */
  Optional<Work> suspend(Work work, Cancellation running) throws ClaimLostException {
    Sandbox sandbox = work.sandbox();
    Attempt attempt = attempt(sandbox);
    failpoints.reach("suspend.claimed");
    try (Span span = span("sandbox.suspend", sandbox)) {
      try {
        SandboxHandle handle = backends.suspend(sandbox, attempt, running);
        failpoints.reach("suspend.called");
        return suspended(sandbox, attempt, handle);
      } catch (ExtensionException e) {
        span.failed(e.code().name());
        return settle(sandbox, attempt, e);
      }
    }
  }

  /** A step of the worker: resumes a suspended sandbox that is to run. */
  Optional<Work> begin(Work work, Cancellation running) throws ClaimLostException {
    Sandbox sandbox = work.sandbox();
    if (sandbox.desired() != Desired.RUNNING) {
      return Optional.empty();
    }
    Change resuming = Change.to(sandbox.id(), SandboxState.RESUMING).claimed(sandbox.claimToken());
    return Optional.of(Work.of(must(sandbox, sandboxes.apply(resuming))));
  }

  /** A step of the worker: resumes a sandbox that is resuming. */
  Optional<Work> resume(Work work, Cancellation running) throws ClaimLostException {
    Sandbox sandbox = work.sandbox();
    Attempt attempt = attempt(sandbox);
    failpoints.reach("resume.claimed");
    try (Span span = span("sandbox.resume", sandbox)) {
      try {
        Suspendable.Resumed resumed = backends.resume(sandbox, attempt, running);
        failpoints.reach("resume.called");
        return resumed(sandbox, attempt, resumed);
      } catch (ExtensionException e) {
        span.failed(e.code().name());
        return settle(sandbox, attempt, e);
      }
    }
  }

  private Optional<Work> resumed(Sandbox sandbox, Attempt attempt, Suspendable.Resumed resumed)
      throws ClaimLostException, ExtensionException {
    Reachability reachability = resumed.reachability();
    DataplaneAddress address = reachability.dataplane();
    transports.keep(sandbox, address);
    if (address != null) {
      open(sandbox, attempt, address);
    }
    Change ready =
        Change.to(sandbox.id(), SandboxState.READY)
            .claimed(sandbox.claimToken())
            .setJson("descriptors", json.text(reachability.descriptors()))
            .setSql("conditions", WITHOUT_FAILURES)
            .setSql("ready_at", "clock_timestamp()") // its idle time begins again
            .release();
    return apply(
        sandbox,
        attempt,
        resumed.handle(),
        Attempts.reached(
            ready, attempt, reachability.providerUid(), addresses.text(attempt.id(), address)));
  }

  private void open(Sandbox sandbox, Attempt attempt, DataplaneAddress address)
      throws ExtensionException {
    try {
      ways.open(sandbox, attempt, address);
    } catch (EgressException | SecretException e) {
      throw new ExtensionException(ErrorCode.UNAVAILABLE, "no way out: " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ExtensionException(ErrorCode.UNAVAILABLE, "interrupted");
    }
  }

  private Optional<Work> suspended(Sandbox sandbox, Attempt attempt, SandboxHandle handle)
      throws ClaimLostException {
    return apply(
        sandbox, attempt, handle, suspended(sandbox).setSql("conditions", WITHOUT_FAILURES));
  }

  private static Change suspended(Sandbox sandbox) {
    return Change.to(sandbox.id(), SandboxState.SUSPENDED)
        .claimed(sandbox.claimToken())
        .setSql("claim_owner", UNLESS_WANTED.formatted("claim_owner"))
        .setSql("claim_until", UNLESS_WANTED.formatted("claim_until"));
  }

  /** Gives the work that follows from what was requested meanwhile. */
  private Optional<Work> apply(Sandbox sandbox, Attempt attempt, SandboxHandle handle, Change made)
      throws ClaimLostException {
    Sandbox now =
        jdbi.inTransaction(
            open -> {
              Sandbox changed = must(sandbox, sandboxes.apply(open, made));
              if (!handle.equals(attempt.handle())) {
                attempts.keepHandle(open, attempt.id(), handle);
              }
              attempts.forgetBackendEnd(open, attempt.id());
              return changed;
            });
    boolean wanted =
        now.desired() == Desired.GONE
            || (now.state() == SandboxState.SUSPENDED && now.desired() == Desired.RUNNING);
    return wanted ? Optional.of(Work.of(now)) : Optional.empty();
  }

  /** After a failed call, the sandbox is what its backend says, or the call is made again. */
  private Optional<Work> settle(Sandbox sandbox, Attempt attempt, ExtensionException failure)
      throws ClaimLostException {
    Sandbox now =
        sandboxes
            .find(sandbox.id())
            .filter(row -> row.claimToken() == sandbox.claimToken())
            .orElseThrow(() -> new ClaimLostException(sandbox.id()));
    if (now.desired() == Desired.GONE) {
      return Optional.of(Work.of(now));
    }
    LOG.warnf(
        "%s failed sandbox=%s code=%s message=%s",
        now.state().text(), now.publicId(), failure.code(), failure.getMessage());
    boolean suspending = now.state() == SandboxState.SUSPENDING;
    SandboxHandle handle = Objects.requireNonNull(attempt.handle());
    return switch (inspection(attempt)) {
      case Inspection.Running _ when suspending ->
          apply(now, attempt, handle, goesOn(now, failure));
      case Inspection.Suspended _ when suspending -> suspended(now, attempt, handle);
      case Inspection.Suspended _ -> apply(now, attempt, handle, staysSuspended(now, failure));
      case Inspection.Ended(ErrorCode reason, String detail) -> failed(now, reason, detail);
      case Inspection.Gone _ -> failed(now, ErrorCode.CRASH, "it vanished from its backend");
      case Inspection.Running _, Inspection.Unknown _ -> {
        claims.release(now, RETRY_SECONDS);
        yield Optional.empty();
      }
    };
  }

  private Inspection inspection(Attempt attempt) {
    try {
      return backends.inspect(attempt);
    } catch (ExtensionException e) {
      return new Inspection.Unknown(String.valueOf(e.getMessage()));
    }
  }

  private Change goesOn(Sandbox sandbox, ExtensionException failure) {
    return noted(Change.to(sandbox.id(), SandboxState.READY), NOT_SUSPENDED, failure)
        .claimed(sandbox.claimToken())
        .set("desired", Desired.RUNNING.text())
        .setSql("ready_at", "clock_timestamp()") // it is not tried again at once
        .release();
  }

  private Change staysSuspended(Sandbox sandbox, ExtensionException failure) {
    return noted(suspended(sandbox), NOT_RESUMED, failure).set("desired", Desired.SUSPENDED.text());
  }

  private Change noted(Change change, String type, ExtensionException failure) {
    Condition failed = new Condition(type, List.of(failure.code() + ": " + failure.getMessage()));
    return change
        .setSql(
            "conditions",
            WITHOUT_FAILURES + " || cast(:failed as jsonb)",
            "failed",
            json.text(List.of(failed)))
        .detail("error", String.valueOf(failure.getMessage()))
        .detail("code", failure.code().name());
  }

  private Optional<Work> failed(Sandbox sandbox, ErrorCode code, String detail) {
    var _ = lives.fail(sandbox, code, "the sandbox has ended while suspended: " + detail);
    return Optional.empty();
  }

  private Attempt attempt(Sandbox sandbox) {
    String id = Objects.requireNonNull(sandbox.attemptId());
    return jdbi.withHandle(open -> attempts.find(open, id)).orElseThrow();
  }

  private Span span(String name, Sandbox sandbox) {
    return tracing
        .continues(name, sandbox.traceParent())
        .set("sandboxer.sandbox.id", sandbox.publicId())
        .set("sandboxer.generation", sandbox.generation());
  }

  private static <T> T must(Sandbox sandbox, Optional<T> changed) throws ClaimLostException {
    return changed.orElseThrow(() -> new ClaimLostException(sandbox.id()));
  }
}
