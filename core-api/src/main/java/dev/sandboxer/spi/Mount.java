package dev.sandboxer.spi;

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
   * @param delivery how it is to get there; a backend receives only {@link MountDelivery#BIND}
   * @param syncSeconds how often a copy is written back while the sandbox lives, 0 for only at its
   *     end
   */
  record HostFolder(
      String hostPath, String mountPath, boolean writable, MountDelivery delivery, long syncSeconds)
      implements Mount {

    /** An absent delivery is {@link MountDelivery#BIND}. */
    @SuppressWarnings("RedundantNullCheck") // stored specs of earlier releases have none
    public HostFolder {
      delivery = delivery == null ? MountDelivery.BIND : delivery;
    }

    /**
     * A folder that the backend mounts, or that is copied where it cannot.
     *
     * @param hostPath absolute, links resolved
     * @param mountPath absolute path inside
     * @param writable whether the sandbox may write there
     */
    public HostFolder(String hostPath, String mountPath, boolean writable) {
      this(hostPath, mountPath, writable, MountDelivery.BIND, 0);
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
