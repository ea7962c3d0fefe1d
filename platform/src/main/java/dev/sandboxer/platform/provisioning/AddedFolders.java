package dev.sandboxer.platform.provisioning;

import dev.sandboxer.platform.dataplane.BoxdClient.BoxdException;
import dev.sandboxer.platform.dataplane.wire.Endpoint;
import dev.sandboxer.platform.dataplane.wire.Transport;
import dev.sandboxer.platform.host.Hosts;
import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.platform.sandbox.Change;
import dev.sandboxer.platform.sandbox.Sandbox;
import dev.sandboxer.platform.sandbox.SandboxState;
import dev.sandboxer.platform.sandbox.Sandboxes;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Mount;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Jdbi;

/** Gives a live sandbox further folders of this machine, as copies. */
@ApplicationScoped
public class AddedFolders {

  private static final Duration READY_LIMIT = Duration.ofMinutes(2);

  private final Jdbi jdbi;
  private final Sandboxes sandboxes;
  private final Attempts attempts;
  private final Hosts hosts;
  private final Waiters waiters;
  private final AttemptAddresses addresses;
  private final CopiedFolders folders;

  AddedFolders(
      Jdbi jdbi,
      Sandboxes sandboxes,
      Attempts attempts,
      Hosts hosts,
      Waiters waiters,
      AttemptAddresses addresses,
      CopiedFolders folders) {
    this.jdbi = jdbi;
    this.sandboxes = sandboxes;
    this.attempts = attempts;
    this.hosts = hosts;
    this.waiters = waiters;
    this.addresses = addresses;
    this.folders = folders;
  }

  /**
   * Copies a folder in, and records it as the sandbox's, so that its next generation has it too.
   * Waits until the sandbox is ready. A folder that the sandbox has already is not copied again.
   * Two calls for one sandbox must not run at the same time.
   *
   * @param id of the sandbox
   * @param added with delivery {@code copy}, checked
   * @return false if it is not to be had: the sandbox ends, or only another node reaches its host
   * @throws ProblemException VALIDATION if it cannot be copied, as where it does not fit
   * @throws InterruptedException if the thread is interrupted
   */
  public boolean add(SandboxId id, Mount.HostFolder added) throws InterruptedException {
    Optional<Sandbox> ready =
        waiters
            .await(id, sandbox -> sandbox.state().settled(), READY_LIMIT)
            .filter(sandbox -> sandbox.state().reachable());
    Optional<Attempt> attempt =
        ready.flatMap(
            sandbox ->
                Optional.ofNullable(sandbox.attemptId())
                    .flatMap(current -> jdbi.withHandle(open -> attempts.find(open, current))));
    if (attempt.isEmpty()
        || !jdbi.withHandle(open -> hosts.reaches(open, attempt.get().host().id()))) {
      return false;
    }
    Sandbox sandbox = ready.orElseThrow();
    if (sandbox.spec().mounts().contains(added)) {
      return true;
    }
    copy(attempt.get(), added);
    return record(sandbox, added);
  }

  private void copy(Attempt attempt, Mount.HostFolder added) throws InterruptedException {
    try {
      Endpoint endpoint =
          new Endpoint(
              attempt.sandboxId(), attempt.generation(), Transport.of(addresses.of(attempt)));
      folders.fill(attempt, endpoint, added);
    } catch (BoxdException | ExtensionException | IOException e) {
      throw new ProblemException(
          ErrorCode.VALIDATION,
          "mounts: %s cannot be copied in: %s".formatted(added.mountPath(), e.getMessage()));
    }
  }

  private boolean record(Sandbox sandbox, Mount.HostFolder added) {
    List<Mount> all = new ArrayList<>(sandbox.spec().mounts());
    all.add(added);
    Change change =
        Change.note(sandbox.id(), "mount.added")
            .from(SandboxState.READY, SandboxState.ACTIVE)
            .generation(sandbox.generation())
            .detail("mount_paths", List.of(added.mountPath()));
    return sandboxes
        .respecified(change, sandbox.spec().toBuilder().mounts(all).build())
        .isPresent();
  }
}
