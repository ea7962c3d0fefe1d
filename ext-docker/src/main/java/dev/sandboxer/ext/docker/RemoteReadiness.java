package dev.sandboxer.ext.docker;

import com.github.dockerjava.api.command.InspectContainerResponse;
import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.DataplaneAddress;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Inspection;
import dev.sandboxer.spi.Reachability;
import java.time.Duration;
import java.util.Optional;

/**
 * Waits for the boxd of a container on another machine. Whoever connects does so inside the
 * container, so there is no socket to be taken out of the sandbox's reach.
 */
final class RemoteReadiness {

  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final Duration STEP = Duration.ofMillis(50);

  private final Engines engines;

  RemoteReadiness(Engines engines) {
    this.engines = engines;
  }

  Reachability await(DockerHandle handle, Call call) throws ExtensionException {
    BoxdOpener opener = new BoxdOpener(engines, call.host(), handle.container());
    long start = System.nanoTime();
    while (true) {
      String why;
      try (var _ = opener.open(call)) {
        return Reachability.at(new DataplaneAddress.Streams(opener), handle.container())
            .withNotEnforced(handle.notEnforced());
      } catch (ExtensionException e) {
        why = String.valueOf(e.getMessage());
      }
      checkAlive(handle, call);
      if (call.cancelled() || System.nanoTime() - start > LIMIT.toNanos()) {
        throw Readiness.failed(
            handle,
            ErrorCode.TIMEOUT,
            "boxd was not reached within %d s: %s".formatted(LIMIT.toSeconds(), why));
      }
      Readiness.pause(handle, STEP);
    }
  }

  private void checkAlive(DockerHandle handle, Call call) throws ExtensionException {
    Optional<InspectContainerResponse> found;
    try (Engine engine = engines.within(call)) {
      found = Containers.look(engine, handle.container());
    } catch (ExtensionException e) {
      throw Readiness.failed(handle, e.code(), String.valueOf(e.getMessage()));
    }
    if (found.isEmpty()) {
      throw Readiness.failed(handle, ErrorCode.CRASH, "the container is gone");
    }
    if (Inspections.of(found.get()) instanceof Inspection.Ended end) {
      throw Readiness.failed(
          handle, end.reason(), "the sandbox ended before it was used: " + end.detail());
    }
  }
}
