package dev.sandboxer.platform.mount;

import dev.sandboxer.spi.Mount;
import dev.sandboxer.spi.MountDelivery;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * What may be mounted where, the same for profiles and requests. {@link HostFolders} checks the
 * folders of the host themselves. Messages continue a sentence that begins with the path.
 */
public final class MountRules {

  /** How many mounts a sandbox may have. */
  public static final int MOST = 16;

  private static final int MAX_PATH = 255;
  private static final Pattern VOLUME = Pattern.compile("[a-z0-9][a-z0-9-]{0,62}");
  private static final Pattern DIGEST = Pattern.compile("sha256:[0-9a-f]{64}");
  private static final Pattern PATH = Pattern.compile("/[^\\p{Cc}\\\\,:\"]*");

  /** A sandbox's own folder, in whose place a folder of the host or a volume can stand. */
  public static final String WORKSPACE = "/workspace";

  /** What the sandbox itself is made of. */
  private static final List<String> TAKEN =
      List.of(
          WORKSPACE,
          "/tmp",
          "/proc",
          "/sys",
          "/dev",
          "/.sandboxer",
          "/run",
          "/var/run",
          "/usr",
          "/bin",
          "/sbin",
          "/lib",
          "/lib32",
          "/lib64",
          "/libx32",
          "/etc",
          "/var/tmp");

  /** Below these is room for mounts. */
  private static final List<String> ROOMY = List.of(WORKSPACE, "/tmp");

  private MountRules() {}

  /**
   * Checks where a folder of the host is said to be.
   *
   * @param path on the host
   * @return the path
   * @throws IllegalArgumentException if it is not an absolute path in its shortest form, or is the
   *     whole host
   */
  public static String source(String path) {
    checkForm(path);
    if (path.equals("/")) {
      throw new IllegalArgumentException("is the whole host, which cannot be mounted");
    }
    return path;
  }

  /**
   * Checks where something is to be mounted.
   *
   * @param path inside
   * @return the path
   * @throws IllegalArgumentException if it is not an absolute path in its shortest form, or belongs
   *     to what the sandbox is made of
   */
  public static String target(String path) {
    checkForm(path);
    if (path.equals(WORKSPACE)) {
      return path;
    }
    for (String taken : TAKEN) {
      boolean covers = path.equals("/") || within(taken, path);
      if (covers || (path.startsWith(taken + "/") && !ROOMY.contains(taken))) {
        throw new IllegalArgumentException(
            "is the sandbox's own: mount at a folder such as /data or /workspace/data");
      }
    }
    return path;
  }

  /**
   * Whether a folder can be copied to a place: only where each sandbox may write.
   *
   * @param path inside, checked
   * @return false if nothing can be copied there
   */
  public static boolean roomForCopies(String path) {
    return ROOMY.stream().anyMatch(roomy -> path.startsWith(roomy + "/"));
  }

  /**
   * The same folder as a copy.
   *
   * @param folder of the host
   * @param syncSeconds how often it is written back
   * @return with delivery {@code copy}
   */
  public static Mount.HostFolder copied(Mount.HostFolder folder, long syncSeconds) {
    return new Mount.HostFolder(
        folder.hostPath(),
        folder.mountPath(),
        folder.writable(),
        folder.contentDigest(),
        MountDelivery.COPY,
        syncSeconds);
  }

  /**
   * Checks a mount that is to be copied.
   *
   * @param path inside, checked
   * @return the path
   * @throws IllegalArgumentException if nothing can be copied there
   */
  public static String copyTarget(String path) {
    if (!roomForCopies(path)) {
      throw new IllegalArgumentException(
          "cannot be the place of a copy: it must lie below /workspace or /tmp");
    }
    return path;
  }

  /**
   * Checks the name of a volume.
   *
   * @param name the tenant's name for it
   * @return the name
   * @throws IllegalArgumentException if it has another form
   */
  public static String volume(String name) {
    if (!VOLUME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "must be the name of a volume: 1 to 63 of a-z, 0-9 and '-', beginning with a letter or digit");
    }
    return name;
  }

  /**
   * Checks the digest of what a folder holds.
   *
   * @param digest as a mount names it
   * @return the digest
   * @throws IllegalArgumentException if it has another form
   */
  public static String digest(String digest) {
    if (!DIGEST.matcher(digest).matches()) {
      throw new IllegalArgumentException("must be 'sha256:' and 64 of 0-9a-f");
    }
    return digest;
  }

  /**
   * Finds a mount that cannot stand beside another one of the same sandbox. Below what is mounted
   * at {@link #WORKSPACE} is room, as it is without.
   *
   * @param mount with checked paths
   * @param others that the sandbox has
   * @return the conflict, as a message that continues the path inside; empty if there is none
   */
  public static Optional<String> conflict(Mount mount, List<Mount> others) {
    if (mount instanceof Mount.Tmpfs && mount.mountPath().equals(WORKSPACE)) {
      return Optional.of(
          "is a file system in memory already, of the size that resources.workspace sets");
    }
    for (Mount other : others) {
      if (overlap(mount.mountPath(), other.mountPath())) {
        return Optional.of("and the mount at '%s' overlap".formatted(other.mountPath()));
      }
      if (copyIn(mount, other) || copyIn(other, mount)) {
        return Optional.of(
            "and the mount at '%s' exclude each other: a copy there would be written into what is mounted at %s"
                .formatted(other.mountPath(), WORKSPACE));
      }
      if (mount instanceof Mount.Volume one
          && other instanceof Mount.Volume two
          && one.volume().equals(two.volume())) {
        return Optional.of(
            "and the mount at '%s' show one volume, '%s': a sandbox has it once"
                .formatted(two.mountPath(), one.volume()));
      }
      if (mount instanceof Mount.HostFolder one
          && other instanceof Mount.HostFolder two
          && (changesVerified(one, two) || changesVerified(two, one))) {
        return Optional.of(
            "and the mount at '%s' show '%s' and '%s': what has a content_digest cannot be, or hold, what is mounted for writing"
                .formatted(two.mountPath(), one.hostPath(), two.hostPath()));
      }
      if (mount instanceof Mount.HostFolder one
          && other instanceof Mount.HostFolder two
          && (belowWritable(one, two) || belowWritable(two, one))) {
        return Optional.of(
            "and the mount at '%s' show '%s' and '%s': what lies below a folder that is mounted for writing cannot be mounted as well"
                .formatted(two.mountPath(), one.hostPath(), two.hostPath()));
      }
    }
    return Optional.empty();
  }

  private static boolean copyIn(Mount mount, Mount workspace) {
    return workspace.mountPath().equals(WORKSPACE)
        && mount instanceof Mount.HostFolder folder
        && folder.delivery() == MountDelivery.COPY
        && within(folder.mountPath(), WORKSPACE);
  }

  /** Whoever writes in a folder could put a link where the other mount is looked up. */
  private static boolean belowWritable(Mount.HostFolder folder, Mount.HostFolder above) {
    return above.writable() && folder.hostPath().startsWith(above.hostPath() + "/");
  }

  private static boolean changesVerified(Mount.HostFolder folder, Mount.HostFolder writable) {
    return writable.writable()
        && folder.contentDigest().isPresent()
        && within(writable.hostPath(), folder.hostPath());
  }

  private static boolean overlap(String one, String other) {
    boolean workspace = one.equals(WORKSPACE) || other.equals(WORKSPACE);
    return workspace ? one.equals(other) : within(one, other) || within(other, one);
  }

  private static boolean within(String path, String folder) {
    return path.equals(folder) || path.startsWith(folder + "/");
  }

  private static void checkForm(String path) {
    if (path.length() > MAX_PATH) {
      throw new IllegalArgumentException(
          "has %d characters: a path may have %d".formatted(path.length(), MAX_PATH));
    }
    if (!PATH.matcher(path).matches() || !normal(path)) {
      throw new IllegalArgumentException(
          "must be an absolute path without '..', '//', a '/' at its end, ',', ':', '\"', '\\' or control characters");
    }
  }

  private static boolean normal(String path) {
    try {
      return Path.of(path).normalize().toString().equals(path);
    } catch (InvalidPathException e) {
      return false; // characters that no path of this host can have
    }
  }
}
