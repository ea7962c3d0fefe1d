package dev.sandboxer.ext.docker;

import com.github.dockerjava.api.command.InspectContainerResponse;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Mount;
import dev.sandboxer.spi.Outcome;
import dev.sandboxer.spi.SandboxSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * Checks mounts. The platform has checked that a host folder may be mounted; what is checked here
 * is what only a container makes dangerous.
 */
final class HostFolders {

  private static final System.Logger LOG = System.getLogger(HostFolders.class.getName());
  private static final Path MOUNTS = Path.of("/proc/self/mountinfo");
  private static final Pattern SPACE = Pattern.compile(" ");
  private static final int MOUNT_POINT = 4;

  /** Where a mount would hide what the sandbox stands on. */
  private static final List<Path> TAKEN =
      List.of(
          Path.of(Inside.FOLDER),
          Path.of("/proc"),
          Path.of("/sys"),
          Path.of("/dev"),
          Path.of(Inside.HOSTS));

  private final Engines engines;
  private final Path base;

  /**
   * Makes the check.
   *
   * @param engines whose sockets must never be seen inside, whichever Engine makes the sandbox
   * @param base the sandboxes' folders, which must not be seen either
   */
  HostFolders(Engines engines, Path base) {
    this.engines = engines;
    this.base = base;
  }

  void check(SandboxSpec spec) throws ExtensionException {
    for (Mount mount : spec.mounts()) {
      target(mount);
      if (mount instanceof Mount.HostFolder folder) {
        source(Path.of(folder.hostPath()));
      }
    }
  }

  private static void target(Mount mount) throws ExtensionException {
    Path path = Path.of(mount.mountPath());
    if (!path.isAbsolute() || path.getNameCount() == 0 || !path.equals(path.normalize())) {
      throw wrong(mount.mountPath() + " is not a path to mount at: absolute, not / and without ..");
    }
    for (Path taken : TAKEN) {
      if (path.startsWith(taken)) {
        throw wrong("nothing can be mounted at " + path + ": " + taken + " is the sandbox's own");
      }
    }
  }

  private void source(Path source) throws ExtensionException {
    List<Path> own = new ArrayList<>(new TreeSet<>(engines.sockets()));
    own.add(base);
    for (Path path : own) {
      if (path.startsWith(source) || source.startsWith(path)) {
        throw wrong(
            "host folder %s holds, or lies in, %s, which would hand the machine to the sandbox: mount another"
                .formatted(source, path));
      }
    }
    try {
      if (!Files.isDirectory(source, LinkOption.NOFOLLOW_LINKS)) {
        throw wrong("host folder " + source + " is not a folder");
      }
      Optional<String> below = below(source);
      if (below.isPresent()) {
        throw wrong(
            "host folder %s has %s mounted below it, which would stay outside or stay writable: mount that by itself"
                .formatted(source, below.get()));
      }
    } catch (IOException e) {
      throw wrong("host folder " + source + " cannot be checked: " + e.getMessage());
    }
  }

  /** A mount below a folder. An Engine's read-only does not reach it. */
  private static Optional<String> below(Path source) throws IOException {
    String prefix = source + "/";
    return Files.readAllLines(MOUNTS).stream()
        .map(line -> SPACE.split(line, -1)[MOUNT_POINT].replace("\\040", " "))
        .filter(point -> point.startsWith(prefix))
        .findFirst();
  }

  /**
   * Compares what was mounted with what was checked: the Engine looks the path up again, and a link
   * may have taken its place meanwhile. Only root may look; for others the rule on who may write
   * the path's parents stands alone.
   */
  void prove(SandboxSpec spec, InspectContainerResponse container) throws ExtensionException {
    Long pid = container.getState().getPidLong();
    Path root = Path.of("/proc/" + pid + "/root");
    if (pid == null || pid < 1 || !Files.isReadable(root)) {
      LOG.log(System.Logger.Level.DEBUG, "mounts are not compared, pid={0}", pid);
      return;
    }
    for (Mount mount : spec.mounts()) {
      if (mount instanceof Mount.HostFolder folder) {
        Path inside = root.resolve(Path.of("/").relativize(Path.of(folder.mountPath())));
        if (!key(Path.of(folder.hostPath())).equals(key(inside))) {
          throw new ExtensionException(
              ErrorCode.VALIDATION,
              Outcome.UNKNOWN,
              "host folder %s was replaced while it was being mounted".formatted(folder.hostPath()),
              null);
        }
      }
    }
  }

  private static Map<String, Object> key(Path path) throws ExtensionException {
    try {
      return Files.readAttributes(path, "unix:dev,ino", LinkOption.NOFOLLOW_LINKS);
    } catch (IOException e) {
      throw wrong(path + " cannot be looked at: " + e.getMessage());
    }
  }

  private static ExtensionException wrong(String message) {
    return new ExtensionException(ErrorCode.VALIDATION, message);
  }
}
