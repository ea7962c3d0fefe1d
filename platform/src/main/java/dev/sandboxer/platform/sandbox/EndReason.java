package dev.sandboxer.platform.sandbox;

import java.util.Locale;

/** Why a sandbox ended. */
public enum EndReason {
  REQUESTED,
  TTL,
  IDLE,
  LEASE,
  HARD_LIMIT,
  RELEASED,
  SCOPE_ENDED,
  BUDGET,
  DRAINED,
  REPLACED,
  VANISHED;

  /**
   * The name in database and JSON.
   *
   * @return lower case
   */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
