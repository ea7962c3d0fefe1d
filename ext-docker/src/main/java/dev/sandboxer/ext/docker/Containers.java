package dev.sandboxer.ext.docker;

import com.github.dockerjava.api.command.InspectContainerResponse;
import com.github.dockerjava.api.model.ContainerConfig;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.SandboxIdentity;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Looks containers up, and tells ours from others. */
final class Containers {

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

  /** Removes it with its anonymous volumes; one that is gone already is fine. */
  static void remove(Engine engine, String id) throws ExtensionException {
    Optional<Boolean> _ =
        engine.find(
            "remove container " + id,
            docker -> {
              docker.removeContainerCmd(id).withForce(true).withRemoveVolumes(true).exec();
              return true;
            });
  }
}
