package dev.sandboxer.spi;

/** An extension with named volumes that outlive sandboxes. */
public interface Volumes {

  /**
   * Makes a volume if it is not there. Idempotent.
   *
   * @param host where
   * @param name which carries the tenant
   * @param sizeBytes its limit
   * @param call deadline and cancellation
   * @throws ExtensionException with {@link ErrorCode#UNSUPPORTED} if the size cannot be enforced
   */
  void ensureVolume(HostRef host, String name, long sizeBytes, Call call) throws ExtensionException;

  /**
   * Removes a volume with its contents. Idempotent.
   *
   * @param host where
   * @param name of the volume
   * @param call deadline and cancellation
   * @throws ExtensionException if it is in use or the backend does not answer
   */
  void removeVolume(HostRef host, String name, Call call) throws ExtensionException;
}
