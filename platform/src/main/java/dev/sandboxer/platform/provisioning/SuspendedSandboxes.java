package dev.sandboxer.platform.provisioning;

import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.platform.sandbox.Sandbox;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;

/** Resumes a sandbox for somebody who wants to use it now. */
@ApplicationScoped
class SuspendedSandboxes {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final SandboxLifecycle lifecycle;
  private final Waiters waiters;

  SuspendedSandboxes(SandboxLifecycle lifecycle, Waiters waiters) {
    this.lifecycle = lifecycle;
    this.waiters = waiters;
  }

  /** Blocks until it runs, or will not, half a minute at most; gives the row as it then is. */
  Sandbox resume(Sandbox sandbox) {
    try {
      Sandbox asked = lifecycle.resume(sandbox);
      return waiters.await(asked.id(), row -> !row.resuming(), PATIENCE).orElse(asked);
    } catch (ProblemException e) {
      return sandbox;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return sandbox;
    }
  }

  /** Why a sandbox that was to be resumed does not run. */
  static String reason(Sandbox sandbox) {
    return sandbox.conditions().stream()
        .filter(condition -> condition.type().equals(Suspensions.NOT_RESUMED))
        .flatMap(condition -> condition.detail().stream())
        .findFirst()
        .map(why -> "it could not be resumed: " + why)
        .orElseGet(() -> "it is " + sandbox.state().text() + " and was not resumed in time");
  }
}
