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

  /**
   * By how much a stored lease is longer than promised, so that the next promises within that time
   * need no write.
   */
  Duration slack() {
    Duration share = lease.compareTo(grace) < 0 ? lease.dividedBy(8) : grace.dividedBy(8);
    return share.compareTo(MOST_COALESCED) < 0 ? share : MOST_COALESCED;
  }

  /** How far from now the lease must reach when a token is handed out. */
  Duration afterToken(boolean withHeartbeat) {
    Duration token = tokenLife.plus(grace);
    return withHeartbeat && lease.compareTo(token) > 0 ? lease : token;
  }
}
