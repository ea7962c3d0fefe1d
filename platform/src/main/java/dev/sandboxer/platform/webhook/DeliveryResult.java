package dev.sandboxer.platform.webhook;

import org.jspecify.annotations.Nullable;

/**
 * What came of a delivery that somebody asked for.
 *
 * @param eventId of the message
 * @param outcome {@code delivered}, {@code failed}, or {@code queued}: it comes in its turn
 * @param status that the receiver answered, null if it did not
 * @param error why it failed, null if it did not
 * @param durationMs how long it took, null if nothing was sent yet
 */
public record DeliveryResult(
    String eventId,
    String outcome,
    @Nullable Integer status,
    @Nullable String error,
    @Nullable Long durationMs) {

  static DeliveryResult of(Try done) {
    String error = done.outcome().error();
    return new DeliveryResult(
        done.eventId(),
        error == null ? "delivered" : "failed",
        done.outcome().status(),
        error,
        done.millis());
  }

  static DeliveryResult queued(String eventId) {
    return new DeliveryResult(eventId, "queued", null, null, null);
  }
}
