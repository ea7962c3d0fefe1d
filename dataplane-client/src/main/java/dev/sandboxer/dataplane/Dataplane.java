package dev.sandboxer.dataplane;

import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One sandbox's dataplane: its addresses and a token that is renewed when a call needs it. Holds no
 * connection of its own. Safe for use by several threads.
 */
public final class Dataplane {
  private static final Duration MARGIN = Duration.ofSeconds(30);

  private final Connections connections;
  private final GrantSource grants;
  private final Clock clock;
  private final ReentrantLock lock = new ReentrantLock();
  private @Nullable Grant grant;

  /**
   * A sandbox whose token is renewed.
   *
   * @param connections stays open for as long as this is used; the caller closes it
   * @param grants asked with the first call
   */
  public Dataplane(Connections connections, GrantSource grants) {
    this(connections, grants, Clock.systemUTC());
  }

  /**
   * The same with another clock.
   *
   * @param clock says when a grant ends
   */
  public Dataplane(Connections connections, GrantSource grants, Clock clock) {
    this.connections = connections;
    this.grants = grants;
    this.clock = clock;
  }

  /**
   * A sandbox with one token that nobody renews: once it has ended, calls are refused with status
   * 401. What is open then goes on.
   *
   * @param base of the HTTP routes, such as {@code http://127.0.0.1:8420/dp/sb_.../v1}
   * @throws IllegalArgumentException when the address or the token cannot be used
   */
  public static Dataplane of(Connections connections, URI base, String token) {
    Grant only = Grant.of(base, token);
    return new Dataplane(connections, () -> only);
  }

  /**
   * A grant that is good for at least half a minute, as far as its end is known.
   *
   * @throws DataplaneException what the {@link GrantSource} threw
   */
  public Grant grant() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      Grant known = grant;
      if (known == null || known.expiresAt().minus(MARGIN).isBefore(clock.instant())) {
        known = grants.grant();
        grant = known;
      }
      return known;
    } finally {
      lock.unlock();
    }
  }

  /** The next call asks for a new grant: the one at hand may no longer count. */
  public void forget() {
    lock.lock();
    try {
      grant = null;
    } finally {
      lock.unlock();
    }
  }

  /** The connections that calls go over. */
  public Connections connections() {
    return connections;
  }
}
