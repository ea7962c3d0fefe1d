package dev.sandboxer.platform.webhook;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A line of a webhook's log: one try of one delivery.
 *
 * @param number in the log, growing
 * @param eventId {@code evt_...}
 * @param type such as {@code sandbox.ready}
 * @param cause {@code event}, {@code test} or {@code replay}
 * @param attempt from 1
 * @param status that the receiver answered, null if it did not
 * @param error why it is no success, null if it is one
 * @param durationMs how long it took
 * @param at instant
 */
public record DeliveryEntry(
    long number,
    String eventId,
    String type,
    String cause,
    int attempt,
    @Nullable Integer status,
    @Nullable String error,
    int durationMs,
    Instant at) {}
