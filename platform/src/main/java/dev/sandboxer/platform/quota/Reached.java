package dev.sandboxer.platform.quota;

import org.jspecify.annotations.Nullable;

/**
 * A quota that is used up.
 *
 * @param quota what it counts, such as {@code sandboxes}
 * @param setting what an operator would change to raise it, null if nothing does
 * @param userId whose quota it is, null if it is the tenant's
 * @param limit how many there may be
 * @param inUse how many there are
 * @param message for a person: how many of how many, and what to do
 */
public record Reached(
    String quota,
    @Nullable String setting,
    @Nullable String userId,
    long limit,
    long inUse,
    String message) {}
