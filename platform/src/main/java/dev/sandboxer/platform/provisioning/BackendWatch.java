package dev.sandboxer.platform.provisioning;

import static io.quarkus.scheduler.Scheduled.ConcurrentExecution.SKIP;

import dev.sandboxer.platform.host.Hosts;
import dev.sandboxer.platform.sandbox.Change;
import dev.sandboxer.platform.sandbox.Cleanup;
import dev.sandboxer.platform.sandbox.Sandbox;
import dev.sandboxer.platform.sandbox.SandboxState;
import dev.sandboxer.platform.sandbox.Sandboxes;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Inspection;
import io.quarkus.scheduler.Scheduled;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Optional;
import org.jboss.logging.Logger;
import org.jdbi.v3.core.Jdbi;

/**
 * Looks, from the backend's side, whether live sandboxes still live. One that has ended or vanished
 * fails once, and what it left is torn down. A backend that does not answer changes nothing.
 */
@ApplicationScoped
class BackendWatch {

  private static final Logger LOG = Logger.getLogger(BackendWatch.class);

  private static final String LIVE =
      """
      select s.* from sandbox s join host h on h.id = s.host_id
      where s.state in ('ready', 'active') and h.node_id = :node
      """;

  private final Jdbi jdbi;
  private final Sandboxes sandboxes;
  private final Attempts attempts;
  private final Debts debts;
  private final Backends backends;
  private final Hosts hosts;

  BackendWatch(
      Jdbi jdbi,
      Sandboxes sandboxes,
      Attempts attempts,
      Debts debts,
      Backends backends,
      Hosts hosts) {
    this.jdbi = jdbi;
    this.sandboxes = sandboxes;
    this.attempts = attempts;
    this.debts = debts;
    this.backends = backends;
    this.hosts = hosts;
  }

  /** Inspects every live sandbox of this node. */
  @RunOnVirtualThread
  @Scheduled(identity = "watch", every = "2s", concurrentExecution = SKIP)
  void look() {
    List<Sandbox> live =
        jdbi.withHandle(
            handle -> sandboxes.rows(handle.createQuery(LIVE).bind("node", hosts.node().id())));
    live.forEach(this::look);
  }

  private void look(Sandbox sandbox) {
    String attemptId = sandbox.attemptId();
    if (attemptId == null) {
      return;
    }
    Optional<Attempt> attempt = jdbi.withHandle(handle -> attempts.find(handle, attemptId));
    attempt.filter(found -> found.handle() != null).ifPresent(found -> judge(sandbox, found));
  }

  private void judge(Sandbox sandbox, Attempt attempt) {
    try {
      switch (backends.inspect(attempt)) {
        case Inspection.Ended(ErrorCode reason, String detail) ->
            fail(sandbox, reason, "the sandbox has ended by itself: " + detail);
        case Inspection.Gone() ->
            fail(sandbox, ErrorCode.CRASH, "the sandbox vanished from its backend");
        case Inspection.Running _ -> {}
        case Inspection.Suspended _ -> {}
        case Inspection.Unknown unknown -> LOG.debugf("inspect says nothing %s", unknown.detail());
      }
    } catch (ExtensionException e) {
      LOG.warnf("inspect failed sandbox=%s code=%s", sandbox.publicId(), e.code());
    }
  }

  private void fail(Sandbox sandbox, ErrorCode code, String message) {
    jdbi.useTransaction(
        open -> {
          Optional<Sandbox> failed =
              sandboxes.apply(
                  open,
                  Change.to(sandbox.id(), SandboxState.FAILED)
                      .generation(sandbox.generation())
                      .from(SandboxState.READY, SandboxState.ACTIVE)
                      .when("desired = 'running'")
                      .set("failure_code", code.name())
                      .set("failure_message", message)
                      .set("failure_retryable", code.retryable())
                      .set("cleanup", Cleanup.PENDING.text())
                      .setSql("ended_at", "clock_timestamp()")
                      .detail("error", message)
                      .detail("code", code.name()));
          failed.ifPresent(row -> debts.oweAll(open, row.id()));
        });
  }
}
