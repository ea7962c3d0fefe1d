package dev.sandboxer.platform.routing;

import java.time.Duration;

/**
 * What happens to a live sandbox that cannot be reached because its node is gone.
 *
 * @param action what is done
 * @param afterSeconds how long the node must have been silent before
 */
public record WhenLost(Action action, long afterSeconds) {

  /** The default: what runs there may be worth more than a quick replacement. */
  public static final WhenLost WAIT = new WhenLost(Action.WAIT, Duration.ofMinutes(5).toSeconds());

  /** What is done. */
  public enum Action {
    /** It stays unreachable until its node is back or a limit of its life is reached. */
    WAIT,
    /** It is established again on another host, as its next generation. */
    RECREATE,
    /** It fails. */
    FAIL
  }

  /**
   * Whether its time has come.
   *
   * @param silent how long the node has been silent
   * @return false while it is to wait
   */
  public boolean due(Duration silent) {
    return action != Action.WAIT && silent.toSeconds() >= afterSeconds;
  }
}
