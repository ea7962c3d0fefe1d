package dev.sandboxer.platform.access;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A key, without its secret.
 *
 * @param id {@code key_...}
 * @param tenantId owner
 * @param tenant name of the owner
 * @param name for people
 * @param role what it may do
 * @param limits what it is narrowed to
 * @param createdAt instant it was made
 * @param endedAt instant it was ended, null while it counts
 */
public record ApiKey(
    String id,
    String tenantId,
    String tenant,
    String name,
    Role role,
    Limits limits,
    Instant createdAt,
    @Nullable Instant endedAt) {}
