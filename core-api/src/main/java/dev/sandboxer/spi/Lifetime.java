package dev.sandboxer.spi;

import java.time.Instant;

/**
 * An extension whose backend ends sandboxes by itself after a time. The platform keeps that limit a
 * margin beyond its own and renews it.
 */
public interface Lifetime {

  /**
   * Moves the backend's own limit. Called soon after the sandbox is ready, and again before a
   * granted end that is earlier than wanted, or when the platform's own limit has moved.
   * Repeatable; a call with an earlier end than one that was granted since must not shorten it.
   *
   * @param handle of a live sandbox
   * @param until the wanted end
   * @param call deadline and cancellation
   * @return the end that the backend granted, which may be earlier
   * @throws ExtensionException typed
   */
  Instant extend(SandboxHandle handle, Instant until, Call call) throws ExtensionException;
}
