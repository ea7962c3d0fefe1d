package dev.sandboxer.platform.session;

import java.time.Duration;

/**
 * How long sessions hold.
 *
 * @param lease after a heartbeat
 * @param grace after the end of the newest token
 * @param tokenLife of a client token
 */
record LeaseRules(Duration lease, Duration grace, Duration tokenLife) {

  private static final Duration MOST_COALESCED = Duration.ofSeconds(5);

  /** That a busy node may make. */
  private static final Duration SHORT_PAUSE = Duration.ofSeconds(5);

  /**
   * By how much a stored lease is longer than promised, so that the next promises within that time
   * need no write.
   */
  Duration slack() {
    Duration share = lease.compareTo(grace) < 0 ? lease.dividedBy(8) : grace.dividedBy(8);
    return share.compareTo(MOST_COALESCED) < 0 ? share : MOST_COALESCED;
  }

  /**
   * The longest pause between two looks at the leases after which they are still judged. A client
   * that renews in good time outlasts it; of a longer one it cannot be blamed.
   */
  Duration longestPause() {
    Duration share = (lease.compareTo(grace) < 0 ? lease : grace).dividedBy(2);
    return share.compareTo(SHORT_PAUSE) < 0 ? SHORT_PAUSE : share;
  }

  /** How far from now the lease must reach when a token is handed out. */
  Duration afterToken(boolean withHeartbeat) {
    Duration token = tokenLife.plus(grace);
    return withHeartbeat && lease.compareTo(token) > 0 ? lease : token;
  }
}
