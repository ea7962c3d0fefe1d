package dev.sandboxer.ext.docker;

import com.github.dockerjava.api.command.InspectContainerResponse;
import com.github.dockerjava.api.exception.ConflictException;
import com.github.dockerjava.api.model.ContainerConfig;
import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Outcome;
import dev.sandboxer.spi.SandboxIdentity;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Looks containers up, and tells ours from others. */
final class Containers {

  private static final Duration REMOVAL = Duration.ofSeconds(30);
  private static final Duration STEP = Duration.ofMillis(20);

  private final Labels labels;

  Containers(Labels labels) {
    this.labels = labels;
  }

  /** Whatever has the identity's name. */
  Optional<InspectContainerResponse> named(Engine engine, SandboxIdentity identity)
      throws ExtensionException {
    return look(engine, Labels.container(identity));
  }

  /** By name or id. */
  static Optional<InspectContainerResponse> look(Engine engine, String container)
      throws ExtensionException {
    if (container.isEmpty()) {
      return Optional.empty();
    }
    return engine.find(
        "look at container " + container, docker -> docker.inspectContainerCmd(container).exec());
  }

  boolean ours(SandboxIdentity identity, InspectContainerResponse container) {
    return labels
        .identity(container.getName(), labelsOf(container))
        .filter(identity::equals)
        .isPresent();
  }

  private static @Nullable Map<String, String> labelsOf(InspectContainerResponse container) {
    ContainerConfig config = container.getConfig();
    return config == null ? null : config.getLabels();
  }

  /**
   * Removes it with its anonymous volumes and waits until it is gone. One that is gone already is
   * fine, and so is one that somebody else is removing.
   */
  static void remove(Engine engine, String id, Call call) throws ExtensionException {
    Optional<Boolean> removed =
        engine.find(
            "remove container " + id,
            docker -> {
              try {
                docker.removeContainerCmd(id).withForce(true).withRemoveVolumes(true).exec();
                return true;
              } catch (ConflictException e) {
                if (!Refusals.said(e).contains("already in progress")) {
                  throw e;
                }
                return false;
              }
            });
    if (removed.isPresent() && !removed.get()) {
      awaitGone(engine, id, call);
    }
  }

  private static void awaitGone(Engine engine, String id, Call call) throws ExtensionException {
    long start = System.nanoTime();
    while (look(engine, id).isPresent()) {
      if (call.cancelled() || System.nanoTime() - start > REMOVAL.toNanos()) {
        throw new ExtensionException(
            ErrorCode.UNAVAILABLE,
            Outcome.UNKNOWN,
            "the Docker Engine has been removing container %s for %d s"
                .formatted(id, REMOVAL.toSeconds()),
            null);
      }
      try {
        Thread.sleep(STEP);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new ExtensionException(
            ErrorCode.TIMEOUT, Outcome.UNKNOWN, "the call was cancelled", e);
      }
    }
  }
}
