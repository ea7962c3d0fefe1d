package dev.sandboxer.ext.docker;

import com.github.dockerjava.api.command.InspectContainerResponse;
import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionContext;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Mount;
import dev.sandboxer.spi.Outcome;
import dev.sandboxer.spi.ProvisionRequest;
import dev.sandboxer.spi.SandboxIdentity;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Mounts of volumes for a container, each as the sandbox's own user sees it. They stand on this
 * machine only until the container has started, which then has them alone. Their folders lie apart
 * from the sandbox's: that one is removed with all in it.
 */
final class VolumeMounts {

  private final ExtensionContext context;
  private final EngineVolumes volumes;
  private final HostBoxd boxd;

  VolumeMounts(ExtensionContext context, EngineVolumes volumes, HostBoxd boxd) {
    this.context = context;
    this.volumes = volumes;
    this.boxd = boxd;
  }

  /** Path inside to where it stands on this machine. */
  Map<String, Path> mount(Engine engine, EngineFacts facts, ProvisionRequest request, Call call)
      throws ExtensionException {
    Map<String, Path> mounted = new LinkedHashMap<>();
    for (Mount mount : request.spec().mounts()) {
      if (mount instanceof Mount.Volume volume) {
        Path disk = volumes.disk(engine, facts, volume.volume());
        Path at = folder(request.identity(), mounted.size());
        make(at);
        mount(disk, at, request.uid().orElseThrow(), volume, below(volume, request), call);
        mounted.put(volume.mountPath(), at);
      }
    }
    return mounted;
  }

  /** Where else something is mounted below it: the Engine cannot make a folder in a volume. */
  private static List<String> below(Mount.Volume volume, ProvisionRequest request) {
    String above = volume.mountPath() + "/";
    return request.spec().mounts().stream()
        .map(Mount::mountPath)
        .filter(path -> path.startsWith(above))
        .map(path -> path.substring(above.length()))
        .toList();
  }

  private void mount(
      Path disk, Path at, int uid, Mount.Volume volume, List<String> below, Call call)
      throws ExtensionException {
    unmount(at, call);
    List<String> verb =
        new ArrayList<>(
            List.of("mount", "--image", disk.toString(), "--at", at.toString(), "--uid", "" + uid));
    if (volume.writable()) {
      verb.add("--write");
    }
    below.forEach(path -> verb.addAll(List.of("--point", path)));
    var _ = boxd.volume(call, verb.toArray(String[]::new));
  }

  private void unmount(Path at, Call call) throws ExtensionException {
    var _ = boxd.volume(call, "unmount", "--at", at.toString());
  }

  /**
   * Compares what the container has with what stands here: an Engine in another mount namespace
   * would have met an empty folder, which has no limit and is nobody's.
   */
  void prove(ProvisionRequest request, InspectContainerResponse container)
      throws ExtensionException {
    Path root = Path.of("/proc/" + container.getState().getPidLong() + "/root");
    int number = 0;
    for (Mount mount : request.spec().mounts()) {
      if (!(mount instanceof Mount.Volume volume)) {
        continue;
      }
      Path here = folder(request.identity(), number++);
      Path inside = root.resolve(Path.of("/").relativize(Path.of(volume.mountPath())));
      if (!key(here).equals(key(inside))) {
        throw new ExtensionException(
            ErrorCode.UNSUPPORTED,
            Outcome.UNKNOWN,
            "the Docker Engine did not mount the volume at %s: it runs in another mount namespace than the platform"
                .formatted(volume.mountPath()),
            null);
      }
    }
  }

  private static Map<String, Object> key(Path path) throws ExtensionException {
    try {
      return Files.readAttributes(path, "unix:dev,ino", LinkOption.NOFOLLOW_LINKS);
    } catch (IOException e) {
      throw failed(path, e);
    }
  }

  /** Ends what stands here for a sandbox; a container that runs keeps its own. */
  void clear(SandboxIdentity identity, Call call) throws ExtensionException {
    if (!Files.exists(root())) {
      return;
    }
    try (DirectoryStream<Path> folders = Files.newDirectoryStream(root(), identity.name() + "-*")) {
      for (Path at : folders) {
        unmount(at, call);
        Files.deleteIfExists(at);
      }
    } catch (IOException e) {
      throw failed(root(), e);
    }
  }

  private Path root() {
    return context.stateFolder().resolve("mounts");
  }

  private Path folder(SandboxIdentity identity, int number) {
    return root().resolve(identity.name() + "-" + number);
  }

  private static void make(Path folder) throws ExtensionException {
    try {
      Files.createDirectories(folder);
    } catch (IOException e) {
      throw failed(folder, e);
    }
  }

  private static ExtensionException failed(Path path, IOException e) {
    return new ExtensionException(
        ErrorCode.UNAVAILABLE, Outcome.UNKNOWN, path + ": " + e.getMessage(), e);
  }
}
