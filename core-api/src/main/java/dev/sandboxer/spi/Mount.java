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
   * @param delivery how it is to get there; a backend receives only {@link MountDelivery#BIND}
   * @param syncSeconds how often a copy is written back while the sandbox lives, 0 for only at its
   *     end
   */
  record HostFolder(
      String hostPath,
      String mountPath,
      boolean writable,
      Optional<String> contentDigest,
      MountDelivery delivery,
      long syncSeconds)
      implements Mount {

    /** An absent delivery is {@link MountDelivery#BIND}; nobody may write in what has a digest. */
    @SuppressWarnings("RedundantNullCheck") // stored specs of earlier releases have none
    public HostFolder {
      delivery = delivery == null ? MountDelivery.BIND : delivery;
      if (writable && contentDigest.isPresent()) {
        throw new IllegalArgumentException("a folder with a content digest is read-only");
      }
    }

    /**
     * A folder that the backend mounts, or that is copied where it cannot.
     *
     * @param hostPath absolute, links resolved
     * @param mountPath absolute path inside
     * @param writable whether the sandbox may write there
     * @param contentDigest of what it must hold, empty for any content
     */
    public HostFolder(
        String hostPath, String mountPath, boolean writable, Optional<String> contentDigest) {
      this(hostPath, mountPath, writable, contentDigest, MountDelivery.BIND, 0);
    }

    /**
     * The same with any content.
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
