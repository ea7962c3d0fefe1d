package dev.sandboxer.platform.mount;

import dev.sandboxer.spi.Mount;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What the requests of a profile's callers may mount. It widens nothing: {@link HostFolders} checks
 * each folder as it checks those of the profile itself.
 *
 * @param roots folders of the host; a request may name them and what lies below
 * @param modes what may be mounted; {@link Mode#RW} includes {@link Mode#RO}
 * @param most mounts of one request
 */
public record CallerMounts(List<String> roots, Set<Mode> modes, int most) {

  /** Nothing. */
  public static final CallerMounts NONE = new CallerMounts(List.of(), Set.of(), 0);

  /** A kind of mount. */
  public enum Mode {
    /** Folders of the host, read-only. */
    RO,
    /** Folders of the host, for writing too. */
    RW,
    /** File systems in memory. */
    TMPFS,
    /** Named volumes of the caller's tenant, for reading and for writing. */
    VOLUME;

    /**
     * Whether it needs roots.
     *
     * @return false for what is not of the host
     */
    public boolean ofHost() {
      return this == RO || this == RW;
    }
  }

  /** Keeps immutable copies. */
  public CallerMounts {
    roots = List.copyOf(roots);
    modes = Set.copyOf(modes);
  }

  /**
   * Decides on the mounts of a request.
   *
   * @param mounts that the request names
   * @return why it may not have them, with the key of the profile that would change that; empty if
   *     it may
   */
  public Optional<String> refusal(List<Mount> mounts) {
    if (mounts.isEmpty()) {
      return Optional.empty();
    }
    if (most == 0 || modes.isEmpty()) {
      return Optional.of(
          "requests may mount nothing; 'caller_mounts' in the profile says what they may mount");
    }
    if (mounts.size() > most) {
      return Optional.of(
          "a request may have %d mounts (caller_mounts.max), and this one has %d"
              .formatted(most, mounts.size()));
    }
    return mounts.stream().flatMap(mount -> refusal(mount).stream()).findFirst();
  }

  private Optional<String> refusal(Mount mount) {
    return switch (mount) {
      case Mount.HostFolder folder -> refusal(folder);
      case Mount.Tmpfs tmpfs ->
          modes.contains(Mode.TMPFS)
              ? Optional.empty()
              : Optional.of(
                  "a request may not mount a tmpfs, as at '%s'; 'tmpfs' in caller_mounts.modes would allow it"
                      .formatted(tmpfs.mountPath()));
      case Mount.Volume volume ->
          modes.contains(Mode.VOLUME)
              ? Optional.empty()
              : Optional.of(
                  "a request may not mount a volume, as at '%s'; 'volume' in caller_mounts.modes would allow it"
                      .formatted(volume.mountPath()));
    };
  }

  private Optional<String> refusal(Mount.HostFolder folder) {
    String path = folder.hostPath();
    if (modes.stream().noneMatch(Mode::ofHost)) {
      return Optional.of(
          "a request may not mount folders of the host, such as '%s'; 'ro' or 'rw' in caller_mounts.modes would allow it"
              .formatted(path));
    }
    if (roots.stream().noneMatch(root -> Path.of(path).startsWith(root))) {
      return Optional.of(
          "'%s' lies outside the folders that a request may mount; caller_mounts.roots has %s"
              .formatted(path, roots));
    }
    if (folder.writable() && !modes.contains(Mode.RW)) {
      return Optional.of(
          "a request may mount '%s' only with mode ro; 'rw' in caller_mounts.modes would allow writing"
              .formatted(path));
    }
    return Optional.empty();
  }
}
