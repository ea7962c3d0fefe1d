package dev.sandboxer.spi;

/**
 * An extension that can keep a sandbox's state under a name and start others from it: {@code
 * provision} with {@link ProvisionRequest#snapshot()}. The new sandbox has its own identity and
 * lives on when the snapshot is removed.
 */
public interface Snapshotting {

  /**
   * Takes a snapshot. Idempotent per name.
   *
   * @param handle of a running or suspended sandbox
   * @param name unique in the installation
   * @param call deadline and cancellation
   * @return the snapshot
   * @throws ExtensionException typed
   */
  Snapshot snapshot(SandboxHandle handle, String name, Call call) throws ExtensionException;

  /**
   * Removes a snapshot. Idempotent.
   *
   * @param snapshot to remove
   * @param call deadline and cancellation
   * @throws ExtensionException typed
   */
  void removeSnapshot(Snapshot snapshot, Call call) throws ExtensionException;

  /**
   * A kept state.
   *
   * @param name as asked for
   * @param providerUid the backend's own id
   * @param sizeBytes what it takes, -1 if unknown
   */
  record Snapshot(String name, String providerUid, long sizeBytes) {}
}
