package dev.sandboxer.platform.access;

import java.time.Instant;

/**
 * An owner of keys, quotas and sandboxes.
 *
 * @param id {@code ten_...}
 * @param name unique
 * @param createdAt instant it was made
 */
public record Tenant(String id, String name, Instant createdAt) {}
