package dev.sandboxer.ext.docker;

import com.github.dockerjava.api.command.InspectContainerResponse;
import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Inspection;

/**
 * Freezes all processes of a container, and lets them go on. Its memory is kept; it gets no
 * processor.
 */
final class Suspension {

  private final Engines engines;
  private final Containers containers;

  Suspension(Engines engines, Containers containers) {
    this.engines = engines;
    this.containers = containers;
  }

  void suspend(DockerHandle handle, Call call) throws ExtensionException {
    try (Engine engine = engines.within(call)) {
      if (of(engine, handle) instanceof Inspection.Suspended) {
        return;
      }
      engine.ask(
          "pause container " + handle.container(),
          docker -> docker.pauseContainerCmd(handle.container()).exec());
    }
  }

  void resume(DockerHandle handle, Call call) throws ExtensionException {
    try (Engine engine = engines.within(call)) {
      if (!(of(engine, handle) instanceof Inspection.Suspended)) {
        return;
      }
      engine.ask(
          "unpause container " + handle.container(),
          docker -> docker.unpauseContainerCmd(handle.container()).exec());
    }
  }

  private Inspection of(Engine engine, DockerHandle handle) throws ExtensionException {
    InspectContainerResponse container =
        Containers.look(engine, handle.container())
            .filter(found -> containers.ours(handle.identity(), found))
            .orElseThrow(
                () ->
                    new ExtensionException(
                        ErrorCode.CRASH, "the Engine has no container " + handle.container()));
    return Inspections.of(container);
  }
}
