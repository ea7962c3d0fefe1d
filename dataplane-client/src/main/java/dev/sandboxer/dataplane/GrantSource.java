package dev.sandboxer.dataplane;

/** Gets grants for one sandbox, usually from the platform. */
@FunctionalInterface
public interface GrantSource {

  /**
   * Gets a new grant. A {@link Dataplane} calls it before its first request, half a minute before a
   * grant ends, and after {@link Dataplane#forget}; never from two threads at once.
   *
   * @throws ConnectionLost when the platform cannot be reached; where the client reconnects by
   *     itself, it then tries again
   * @throws InterruptedException when the calling thread was interrupted
   */
  Grant grant() throws InterruptedException;
}
