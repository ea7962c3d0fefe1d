package dev.sandboxer.platform.volume;

import dev.sandboxer.platform.sandbox.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A volume that is wanted.
 *
 * @param tenantId owner
 * @param name the tenant's name for it, as {@code MountRules} has it
 * @param sizeBytes its limit
 * @param consumer who asks, null where the request does not say so
 */
public record NewVolume(
    String tenantId, String name, long sizeBytes, @Nullable Consumer consumer) {}
