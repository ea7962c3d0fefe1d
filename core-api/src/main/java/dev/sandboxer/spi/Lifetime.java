package dev.sandboxer.spi;

import java.time.Instant;

/**
 * An extension whose backend ends sandboxes by itself after a time. The platform keeps that limit a
 * margin beyond its own and renews it.
 */
public interface Lifetime {

  /**
   * Moves the backend's own limit.
   *
   * @param handle of a live sandbox
   * @param until the wanted end
   * @param call deadline and cancellation
   * @return the end that the backend granted, which may be earlier
   * @throws ExtensionException typed
   */
  Instant extend(SandboxHandle handle, Instant until, Call call) throws ExtensionException;
}
