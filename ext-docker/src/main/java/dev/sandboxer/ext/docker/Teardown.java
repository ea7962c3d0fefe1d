package dev.sandboxer.ext.docker;

import com.github.dockerjava.api.command.InspectContainerResponse;
import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.CleanupReport;
import dev.sandboxer.spi.CleanupReport.Leftover;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.SandboxIdentity;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Removes containers, and only those that carry this installation's signature. */
final class Teardown {

  private static final System.Logger LOG = System.getLogger(Teardown.class.getName());

  private final Engines engines;
  private final Containers containers;
  private final FolderRoots roots;
  private final VolumeMounts volumes;

  Teardown(Engines engines, Containers containers, FolderRoots roots, VolumeMounts volumes) {
    this.engines = engines;
    this.containers = containers;
    this.roots = roots;
    this.volumes = volumes;
  }

  CleanupReport of(SandboxIdentity identity, Call call) throws ExtensionException {
    List<String> removed = new ArrayList<>();
    try (Engine engine = engines.within(call)) {
      Optional<InspectContainerResponse> found = containers.named(engine, identity);
      if (found.isPresent() && !containers.ours(identity, found.get())) {
        return foreign(identity, found.get().getId());
      }
      if (found.isPresent()) {
        String id = found.get().getId();
        Optional<String> left = remove(engine, identity, id, call);
        if (left.isPresent()) {
          return new CleanupReport(List.of(), List.of(new Leftover(id, left.get())));
        }
        removed.add(id);
      }
    }
    volumes.clear(identity, call);
    return call.host().sameMachine()
        ? folders(roots.of(call.host()), identity, removed)
        : new CleanupReport(removed, List.of());
  }

  /**
   * Names are the Engine's to keep unique, so ours is gone where a stranger has its name. The
   * folder carries no label: it is the stranger's until the inventory sees it alone.
   */
  private static CleanupReport foreign(SandboxIdentity identity, String container) {
    String reason =
        "container %s has the name %s and does not carry our signature: left alone"
            .formatted(container, Labels.container(identity));
    LOG.log(System.Logger.Level.WARNING, reason);
    return new CleanupReport(List.of(), List.of(), List.of(new Leftover(container, reason)));
  }

  private Optional<String> remove(Engine engine, SandboxIdentity identity, String id, Call call)
      throws ExtensionException {
    try {
      Containers.remove(engine, id, call);
    } catch (ExtensionException e) {
      // No answer is a failure; a refusal is told, and tried again later.
      if (e.code() == ErrorCode.AUTHORIZATION || !answered(e)) {
        throw e;
      }
      return Optional.of(String.valueOf(e.getMessage()));
    }
    return containers.named(engine, identity).filter(left -> left.getId().equals(id)).isPresent()
        ? Optional.of("the Engine says that it was removed and still has it")
        : Optional.empty();
  }

  private static boolean answered(ExtensionException e) {
    return e.getCause() instanceof com.github.dockerjava.api.exception.DockerException;
  }

  private static CleanupReport folders(
      Folders folders, SandboxIdentity identity, List<String> removed) {
    if (folders.exists(identity)) {
      Optional<String> left = folders.remove(identity);
      if (left.isPresent()) {
        return new CleanupReport(
            removed, List.of(new Leftover("folder:" + identity.name(), left.get())));
      }
    }
    return new CleanupReport(removed, List.of());
  }
}
