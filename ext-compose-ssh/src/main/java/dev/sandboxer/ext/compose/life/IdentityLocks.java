package dev.sandboxer.ext.compose.life;

import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Outcome;
import dev.sandboxer.spi.SandboxIdentity;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/** Lets one call at a time make or remove the sandbox of an identity. Others are not held up. */
final class IdentityLocks {

  private final Map<SandboxIdentity, Entry> entries = new HashMap<>();

  private static final class Entry {
    final ReentrantLock lock = new ReentrantLock();
    int users;
  }

  /** What is done alone. */
  @FunctionalInterface
  interface Work<T> {
    T run() throws ExtensionException;
  }

  <T> T alone(SandboxIdentity identity, Work<T> work) throws ExtensionException {
    Entry entry = enter(identity);
    try {
      entry.lock.lockInterruptibly();
      try {
        return work.run();
      } finally {
        entry.lock.unlock();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ExtensionException(
          ErrorCode.TIMEOUT,
          Outcome.UNKNOWN,
          "cancelled while another call for " + identity.name() + " was running",
          e);
    } finally {
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
