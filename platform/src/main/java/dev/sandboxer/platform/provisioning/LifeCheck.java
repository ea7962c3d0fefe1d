package dev.sandboxer.platform.provisioning;

import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.sandbox.Change;
import dev.sandboxer.platform.sandbox.Cleanup;
import dev.sandboxer.platform.sandbox.Sandbox;
import dev.sandboxer.platform.sandbox.SandboxState;
import dev.sandboxer.platform.sandbox.Sandboxes;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Inspection;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Optional;
import org.jboss.logging.Logger;
import org.jdbi.v3.core.Jdbi;

/**
 * Asks a backend whether a live sandbox still lives. One that has ended or vanished fails once, and
 * what it left is torn down. A backend that does not answer, or does not know, changes nothing.
 */
@ApplicationScoped
public class LifeCheck {

  private static final Logger LOG = Logger.getLogger(LifeCheck.class);

  private final Jdbi jdbi;
  private final Sandboxes sandboxes;
  private final Attempts attempts;
  private final Debts debts;
  private final Backends backends;

  LifeCheck(Jdbi jdbi, Sandboxes sandboxes, Attempts attempts, Debts debts, Backends backends) {
    this.jdbi = jdbi;
    this.sandboxes = sandboxes;
    this.attempts = attempts;
    this.debts = debts;
    this.backends = backends;
  }

  /**
   * Checks a sandbox. Blocks; never inside a transaction.
   *
   * @param id of the sandbox
   * @param generation that is meant: a later one is left alone
   * @return whether it has failed by this
   */
  public boolean check(SandboxId id, int generation) {
    return sandboxes
        .find(id)
        .filter(sandbox -> sandbox.generation() == generation)
        .map(this::check)
        .orElse(false);
  }

  /**
   * Inspects an attempt of a live sandbox. It may have been read a while ago, so a sandbox fails
   * only if its present attempt has ended as well.
   *
   * @return whether the backend answered how it is
   */
  boolean look(Attempt attempt) {
    try {
      return switch (backends.inspect(attempt)) {
        case Inspection.Ended _, Inspection.Gone _ -> {
          var _ = check(attempt.sandboxId(), attempt.generation());
          yield true;
        }
        case Inspection.Running _, Inspection.Suspended _ -> true;
        case Inspection.Unknown _ -> false;
      };
    } catch (ExtensionException e) {
      LOG.warnf("inspect failed sandbox=%s code=%s", attempt.sandboxId().publicId(), e.code());
      return e.code() != ErrorCode.UNAVAILABLE && e.code() != ErrorCode.TIMEOUT;
    }
  }

  private boolean check(Sandbox sandbox) {
    String attemptId = sandbox.attemptId();
    if (attemptId == null) {
      return false;
    }
    Optional<Attempt> attempt = jdbi.withHandle(handle -> attempts.find(handle, attemptId));
    return attempt
        .filter(found -> found.handle() != null)
        .map(found -> judge(sandbox, found))
        .orElse(false);
  }

  private boolean judge(Sandbox sandbox, Attempt attempt) {
    try {
      return switch (backends.inspect(attempt)) {
        case Inspection.Ended(ErrorCode reason, String detail) ->
            fail(sandbox, reason, "the sandbox has ended by itself: " + detail);
        case Inspection.Gone() ->
            fail(sandbox, ErrorCode.CRASH, "the sandbox vanished from its backend");
        case Inspection.Running _, Inspection.Suspended _ -> false;
        case Inspection.Unknown unknown -> {
          LOG.debugf("inspect says nothing %s", unknown.detail());
          yield false;
        }
      };
    } catch (ExtensionException e) {
      LOG.warnf("inspect failed sandbox=%s code=%s", sandbox.publicId(), e.code());
      return false;
    }
  }

  /**
   * Fails a live sandbox; what it left is clean-up debt.
   *
   * @return false if it is no longer the one that was read, or no longer live
   */
  boolean fail(Sandbox sandbox, ErrorCode code, String message) {
    return jdbi.inTransaction(
        open -> {
          Optional<Sandbox> failed =
              sandboxes.apply(
                  open,
                  Change.to(sandbox.id(), SandboxState.FAILED)
                      .generation(sandbox.generation())
                      .from(
                          SandboxState.READY,
                          SandboxState.ACTIVE,
                          SandboxState.SUSPENDING,
                          SandboxState.RESUMING)
                      .when("desired <> 'gone'")
                      .set("failure_code", code.name())
                      .set("failure_message", message)
                      .set("failure_retryable", code.retryable())
                      .set("cleanup", Cleanup.PENDING.text())
                      .setSql("ended_at", "clock_timestamp()")
                      .release()
                      .detail("error", message)
                      .detail("code", code.name()));
          failed.ifPresent(row -> debts.oweAll(open, row.id()));
          return failed.isPresent();
        });
  }
}
