package dev.sandboxer.platform.access;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import jakarta.enterprise.context.ApplicationScoped;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * What was read of keys just now, so that a busy one is not read with each request. An end through
 * this node counts at once, one through another within {@link #LIFE}.
 */
@ApplicationScoped
class RecentKeys {

  static final Duration LIFE = Duration.ofMillis(250);

  private static final int MOST = 10_000;

  private final Cache<String, Known> known =
      Caffeine.newBuilder().maximumSize(MOST).executor(Runnable::run).build();
  private final AtomicLong endings = new AtomicLong();

  /**
   * Finds who a key is.
   *
   * @param secret of a request
   * @param read asks the database; empty if there is no such key or it was ended
   * @return empty as well if the secret is another one
   */
  Optional<Principal> find(KeySecret secret, Supplier<Optional<Found>> read) {
    Known recent = known.getIfPresent(secret.id());
    if (recent == null || System.nanoTime() - recent.since() > LIFE.toNanos()) {
      long before = endings.get();
      long since = System.nanoTime();
      Optional<Found> found = read.get();
      found.ifPresent(key -> keep(secret.id(), new Known(key, since), before));
      return found.flatMap(key -> key.principal(secret));
    }
    return recent.found().principal(secret);
  }

  boolean seen(String id) {
    return known.getIfPresent(id) != null;
  }

  private void keep(String id, Known read, long before) {
    known.put(id, read);
    if (endings.get() != before) {
      known.invalidate(id);
    }
  }

  /** Forgets a key whose end was committed. */
  void ended(String id) {
    endings.incrementAndGet();
    known.invalidate(id);
  }

  /** A key as it stands in the database. */
  static final class Found {

    private final byte[] secretHash;
    private final Principal whose;

    Found(byte[] secretHash, Principal whose) {
      this.secretHash = secretHash.clone();
      this.whose = whose;
    }

    private Optional<Principal> principal(KeySecret secret) {
      return MessageDigest.isEqual(secret.hash(), secretHash)
          ? Optional.of(whose)
          : Optional.empty();
    }
  }

  private record Known(Found found, long since) {}
}
