package dev.sandboxer.platform.quota;

import dev.sandboxer.platform.sandbox.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Who asks, and for what.
 *
 * @param tenantId owner of what is wanted
 * @param consumer who asks, null where the request does not say so
 * @param profileId of the sandbox that is wanted, null if none is
 */
public record Asked(String tenantId, @Nullable Consumer consumer, @Nullable String profileId) {}
