package dev.sandboxer.ext.docker;

import com.github.dockerjava.api.command.InspectContainerResponse;
import com.github.dockerjava.api.command.InspectContainerResponse.ContainerState;
import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Inspection;
import java.util.Objects;
import java.util.Optional;

/** Says what became of a container, by the Engine's word alone. */
final class Inspections {

  private static final long KILLED = 137;

  private final Engines engines;
  private final Containers containers;

  Inspections(Engines engines, Containers containers) {
    this.engines = engines;
    this.containers = containers;
  }

  Inspection inspect(DockerHandle handle, Call call) {
    try (Engine engine = engines.within(call)) {
      Optional<InspectContainerResponse> found = Containers.look(engine, handle.container());
      if (found.isEmpty()) {
        return new Inspection.Gone();
      }
      if (!containers.ours(handle.identity(), found.get())) {
        return new Inspection.Unknown(
            "container " + handle.container() + " does not carry this installation's signature");
      }
      return of(found.get());
    } catch (ExtensionException e) {
      return new Inspection.Unknown(String.valueOf(e.getMessage()));
    }
  }

  static Inspection of(InspectContainerResponse container) {
    ContainerState state = container.getState();
    if (Boolean.TRUE.equals(state.getPaused())) {
      return new Inspection.Suspended();
    }
    if (Boolean.TRUE.equals(state.getRunning())) {
      return new Inspection.Running();
    }
    String status = Objects.requireNonNullElse(state.getStatus(), "");
    if (status.equals("created")) {
      return new Inspection.Unknown("the container was made and never started");
    }
    long exit = Objects.requireNonNullElse(state.getExitCodeLong(), -1L);
    // The Engine's mark stays after one command was killed; only a killed boxd ended for it.
    if (Boolean.TRUE.equals(state.getOOMKilled()) && exit == KILLED) {
      return new Inspection.Ended(
          ErrorCode.OOM, "the kernel ended its first process for lack of memory");
    }
    String error = Objects.requireNonNullElse(state.getError(), "");
    return new Inspection.Ended(
        ErrorCode.CRASH,
        "the container's first process has ended with exit code "
            + exit
            + (error.isEmpty() ? "" : ": " + error));
  }
}
