package dev.sandboxer.spi;

import java.util.List;
import java.util.Optional;

/**
 * An extension with named volumes that outlive sandboxes.
 *
 * <p>A name is unique for ever and has the form of {@link SandboxIdentity#sandbox}: with it as the
 * sandbox, generation 1 and attempt 1, {@link ExtensionContext#sign} signs a volume's label. A
 * {@link Mount.Volume} names it. The platform lets one sandbox write to a volume, or several read
 * it; each sees the files as its own, whichever user id it has.
 */
public interface Volumes {

  /**
   * Makes a volume if it is not there. Idempotent.
   *
   * @param host where
   * @param name of the volume
   * @param sizeBytes its limit; more than that cannot be written
   * @param call deadline and cancellation
   * @throws ExtensionException with {@link ErrorCode#UNSUPPORTED} if the size cannot be enforced,
   *     {@link ErrorCode#CAPACITY} if there is no room
   */
  void ensureVolume(HostRef host, String name, long sizeBytes, Call call) throws ExtensionException;

  /**
   * Removes a volume with its contents. Idempotent.
   *
   * @param host where
   * @param name of the volume
   * @param call deadline and cancellation
   * @throws ExtensionException if it is in use, is not this installation's, or the backend does not
   *     answer
   */
  void removeVolume(HostRef host, String name, Call call) throws ExtensionException;

  /**
   * Looks at a volume.
   *
   * @param host where
   * @param name of the volume
   * @param call deadline and cancellation
   * @return empty if it is not there
   * @throws ExtensionException if the backend does not answer, UNSUPPORTED if it cannot say
   */
  default Optional<VolumeInfo> inspectVolume(HostRef host, String name, Call call)
      throws ExtensionException {
    throw new ExtensionException(ErrorCode.UNSUPPORTED, "volumes cannot be looked at");
  }

  /**
   * Lists the volumes that carry this installation's label.
   *
   * @param host where
   * @param call deadline and cancellation
   * @return all of them; what is taken of each may be left out
   * @throws ExtensionException if not all can be listed, UNSUPPORTED if none can
   */
  default List<VolumeInfo> volumes(HostRef host, Call call) throws ExtensionException {
    throw new ExtensionException(ErrorCode.UNSUPPORTED, "volumes cannot be listed");
  }
}
