package dev.sandboxer.platform.delivery;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A subject that waits behind an event which its receiver refused.
 *
 * @param subject a sandbox's or tenant's public id
 * @param seq number of the refused event
 * @param eventId its id, null if it is no longer kept
 * @param type its type, null if it is no longer kept
 * @param waiting events of the subject that wait, this one included
 * @param error what the receiver said
 * @param parkedAt instant
 */
public record Parked(
    String subject,
    long seq,
    @Nullable String eventId,
    @Nullable String type,
    long waiting,
    @Nullable String error,
    Instant parkedAt) {}
