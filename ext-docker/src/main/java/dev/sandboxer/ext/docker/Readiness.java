package dev.sandboxer.ext.docker;

import com.github.dockerjava.api.command.InspectContainerResponse;
import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.DataplaneAddress;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Inspection;
import dev.sandboxer.spi.Outcome;
import dev.sandboxer.spi.Reachability;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** Waits for boxd's socket and takes it out of the sandbox's reach. */
final class Readiness {

  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final Duration LOOK_AT_CONTAINER = Duration.ofMillis(250);
  private static final Duration STEP = Duration.ofMillis(1);

  private final Engines engines;
  private final FolderRoots roots;
  private final RemoteReadiness remote;

  Readiness(Engines engines, FolderRoots roots) {
    this.engines = engines;
    this.roots = roots;
    this.remote = new RemoteReadiness(engines);
  }

  Reachability await(DockerHandle handle, Call call) throws ExtensionException {
    return call.host().sameMachine() ? here(handle, call) : remote.await(handle, call);
  }

  private Reachability here(DockerHandle handle, Call call) throws ExtensionException {
    Folders folders = roots.of(call.host());
    long start = System.nanoTime();
    long looked = start;
    boolean own = remapped(handle, call);
    while (!folders.lock(handle.identity(), own) || !listens(folders, handle)) {
      long now = System.nanoTime();
      if (now - looked > LOOK_AT_CONTAINER.toNanos()) {
        checkAlive(folders, handle, call);
        looked = now;
      }
      if (call.cancelled() || now - start > LIMIT.toNanos()) {
        throw failed(
            handle,
            ErrorCode.TIMEOUT,
            "boxd did not listen within %d s in the container that the Docker Engine at %s made"
                .formatted(LIMIT.toSeconds(), engines.route(call.host()).name()));
      }
      pause(handle, STEP);
    }
    return Reachability.at(
            new DataplaneAddress.UnixSocket(folders.socket(handle.identity())), handle.container())
        .withNotEnforced(handle.notEnforced());
  }

  /** The container is there, whether the Engine answers or not. */
  private boolean remapped(DockerHandle handle, Call call) throws ExtensionException {
    try {
      return engines.facts(call).remapped();
    } catch (ExtensionException e) {
      throw failed(handle, e.code(), String.valueOf(e.getMessage()));
    }
  }

  /** The socket of a boxd that has ended is still there, and refuses. */
  private static boolean listens(Folders folders, DockerHandle handle) {
    try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      return channel.connect(UnixDomainSocketAddress.of(folders.socket(handle.identity())));
    } catch (IOException e) {
      return false;
    }
  }

  private void checkAlive(Folders folders, DockerHandle handle, Call call)
      throws ExtensionException {
    try (Engine engine = engines.within(call)) {
      Optional<InspectContainerResponse> found = Containers.look(engine, handle.container());
      if (found.isEmpty()) {
        throw failed(handle, ErrorCode.CRASH, "the container is gone");
      }
      if (Inspections.of(found.get()) instanceof Inspection.Ended end) {
        throw failed(handle, end.reason(), "the sandbox ended before it was used: " + end.detail());
      }
      Path shared = folders.shared(handle.identity());
      if (isAnother(shared, found.get())) {
        throw failed(
            handle,
            ErrorCode.UNAVAILABLE,
            "the Docker Engine at %s does not see the platform's folder %s: it runs in another mount namespace or on another machine"
                .formatted(engine.name(), shared));
      }
    }
  }

  /** What the container has instead of the socket's folder. Only root may look. */
  private static boolean isAnother(Path shared, InspectContainerResponse container) {
    Path mounted = Path.of("/proc/" + container.getState().getPidLong() + "/root" + Inside.SHARED);
    try {
      return !Files.isSameFile(shared, mounted);
    } catch (IOException e) {
      return false; // it cannot be looked at, or has ended
    }
  }

  /** Until the next look: nothing says when boxd listens. */
  static void pause(DockerHandle handle, Duration step) throws ExtensionException {
    try {
      Thread.sleep(step);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw failed(handle, ErrorCode.TIMEOUT, "the call was cancelled");
    }
  }

  static ExtensionException failed(DockerHandle handle, ErrorCode code, String message) {
    return new ExtensionException(code, new Outcome.Created(handle.toHandle()), message, null);
  }
}
