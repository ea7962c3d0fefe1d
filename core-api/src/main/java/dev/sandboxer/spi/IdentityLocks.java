package dev.sandboxer.spi;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Lets one call at a time make or remove the sandbox of an identity, for extensions whose backend
 * does not. Calls for other identities are not held up. Thread-safe.
 */
public final class IdentityLocks {

  private final Map<SandboxIdentity, Entry> entries = new HashMap<>();

  private static final class Entry {
    final ReentrantLock lock = new ReentrantLock();
    int users;
  }

  /**
   * What is done alone.
   *
   * @param <T> of the result
   */
  @FunctionalInterface
  public interface Work<T> {

    /**
     * Does it.
     *
     * @return the result
     * @throws ExtensionException if it fails
     */
    T run() throws ExtensionException;
  }

  /** Locks that nobody holds. */
  public IdentityLocks() {}

  /**
   * Waits for its turn and does the work.
   *
   * @param <T> of the result
   * @param identity whose sandbox is made or removed
   * @param work what is done meanwhile
   * @return the work's result
   * @throws ExtensionException the work's; TIMEOUT, outcome UNKNOWN, if the thread is interrupted
   *     while it waits
   */
  public <T> T alone(SandboxIdentity identity, Work<T> work) throws ExtensionException {
    Entry entry = enter(identity);
    try {
      entry.lock.lockInterruptibly();
    } catch (InterruptedException e) {
      leave(identity, entry);
      Thread.currentThread().interrupt();
      throw new ExtensionException(
          ErrorCode.TIMEOUT,
          Outcome.UNKNOWN,
          "cancelled while another call for " + identity.name() + " was running",
          e);
    }
    try {
      return work.run();
    } finally {
      entry.lock.unlock();
      leave(identity, entry);
    }
  }

  private synchronized Entry enter(SandboxIdentity identity) {
    Entry entry = entries.computeIfAbsent(identity, _ -> new Entry());
    entry.users++;
    return entry;
  }

  private synchronized void leave(SandboxIdentity identity, Entry entry) {
    entry.users--;
    if (entry.users == 0) {
      entries.remove(identity);
    }
  }
}
