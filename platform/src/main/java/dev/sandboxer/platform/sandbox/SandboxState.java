package dev.sandboxer.platform.sandbox;

import java.util.Locale;
import java.util.Set;

/** What a sandbox is. The legal changes are rows of the table {@code state_transition}. */
public enum SandboxState {
  POOLED,
  REQUESTED,
  PROVISIONING,
  READY,
  ACTIVE,
  SUSPENDING,
  SUSPENDED,
  RESUMING,
  EXPIRED,
  FAILED,
  DESTROYING,
  DESTROYED;

  private static final Set<SandboxState> REACHABLE = Set.of(READY, ACTIVE);
  private static final Set<SandboxState> ASLEEP = Set.of(SUSPENDING, SUSPENDED, RESUMING);
  private static final Set<SandboxState> SETTLED = Set.of(READY, ACTIVE, SUSPENDED, FAILED);

  /**
   * Whether the dataplane may be used.
   *
   * @return true for ready and active
   */
  public boolean reachable() {
    return REACHABLE.contains(this);
  }

  /**
   * Whether it is made, and runs unless it is suspended.
   *
   * @return true for those that can be reached, at once or once they are resumed
   */
  public boolean up() {
    return reachable() || asleep();
  }

  /**
   * Whether it is suspended, or on its way there or back.
   *
   * @return true for suspending, suspended and resuming
   */
  public boolean asleep() {
    return ASLEEP.contains(this);
  }

  /**
   * Whether a caller who waits for a create has nothing more to wait for.
   *
   * @return true once it is up, failed or on its way out
   */
  public boolean settled() {
    return SETTLED.contains(this) || ended();
  }

  /**
   * Whether it is on its way out or gone.
   *
   * @return true for expired, destroying and destroyed
   */
  public boolean ended() {
    return this == EXPIRED || this == DESTROYING || this == DESTROYED;
  }

  /**
   * The name in database and JSON.
   *
   * @return lower case
   */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * Reads a name.
   *
   * @param text lower case, from database or caller
   * @return the state
   * @throws IllegalArgumentException if there is no such state
   */
  public static SandboxState of(String text) {
    for (SandboxState state : values()) {
      if (state.text().equals(text)) {
        return state;
      }
    }
    throw new IllegalArgumentException("'" + text + "' is no sandbox state");
  }
}
