package dev.sandboxer.platform.delivery;

import java.time.Duration;

/** What became of an event, and what of those that wait behind it. */
public sealed interface DeliveryResult {

  /** It was delivered, or left out because the receiver does not want it. */
  record Taken() implements DeliveryResult {}

  /** The receiver is paused: the event waits and no try is counted. */
  record Held() implements DeliveryResult {}

  /**
   * It is tried again.
   *
   * @param error why it was not taken
   * @param after not before this time is over
   * @param counts false if the failure says nothing about the event
   */
  record Again(String error, Duration after, boolean counts) implements DeliveryResult {}

  /**
   * It is set aside, with all that follow it, until somebody replays or skips it.
   *
   * @param error why it was not taken
   */
  record SetAside(String error) implements DeliveryResult {}
}
