package dev.sandboxer.platform.webhook;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A webhook and how it fares, without its secret.
 *
 * @param id {@code whk_...}
 * @param url to call
 * @param description for people
 * @param types wanted types, empty for all
 * @param profiles whose sandboxes are wanted, empty for all
 * @param enabled false while nothing is delivered; the backlog is kept
 * @param pausedReason why the platform paused it, null if it did not
 * @param pausedAt instant, null while it is enabled
 * @param failures failed tries since the last success
 * @param lastError of the last failure, null if there was none
 * @param failingSince instant, null while it works
 * @param waiting events that it has not got
 * @param parked subjects that wait behind an event that was given up
 * @param oldSecretUntil until when the secret before this one signs too, null if there is none
 * @param createdAt instant
 */
public record Webhook(
    String id,
    String url,
    String description,
    List<String> types,
    List<String> profiles,
    boolean enabled,
    @Nullable String pausedReason,
    @Nullable Instant pausedAt,
    int failures,
    @Nullable String lastError,
    @Nullable Instant failingSince,
    long waiting,
    long parked,
    @Nullable Instant oldSecretUntil,
    Instant createdAt) {}
