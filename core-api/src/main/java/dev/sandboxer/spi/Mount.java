package dev.sandboxer.spi;

import java.util.Optional;

/**
 * Something mounted into a sandbox. The platform has checked host paths against what the operator
 * allowed.
 */
public sealed interface Mount {

  /**
   * Where it is mounted.
   *
   * @return an absolute path inside
   */
  String mountPath();

  /**
   * Whether the sandbox may write there.
   *
   * @return false for read-only
   */
  boolean writable();

  /**
   * A folder of the host.
   *
   * @param hostPath absolute, links resolved
   * @param mountPath absolute path inside
   * @param writable whether the sandbox may write there
   * @param contentDigest {@code sha256:<hex>} of what the folder holds, which the platform has
   *     verified; empty for any content
   */
  record HostFolder(
      String hostPath, String mountPath, boolean writable, Optional<String> contentDigest)
      implements Mount {

    /** Checks that nobody may write in what has a digest. */
    public HostFolder {
      if (writable && contentDigest.isPresent()) {
        throw new IllegalArgumentException("a folder with a content digest is read-only");
      }
    }

    /**
     * A folder with any content.
     *
     * @param hostPath absolute, links resolved
     * @param mountPath absolute path inside
     * @param writable whether the sandbox may write there
     */
    public HostFolder(String hostPath, String mountPath, boolean writable) {
      this(hostPath, mountPath, writable, Optional.empty());
    }
  }

  /**
   * A named volume of the tenant.
   *
   * @param volume name, which carries the tenant
   * @param mountPath absolute path inside
   * @param writable whether the sandbox may write there
   */
  record Volume(String volume, String mountPath, boolean writable) implements Mount {}

  /**
   * A file system in memory, gone with the sandbox.
   *
   * @param sizeBytes its size
   * @param mountPath absolute path inside
   */
  record Tmpfs(long sizeBytes, String mountPath) implements Mount {
    @Override
    public boolean writable() {
      return true;
    }
  }
}
