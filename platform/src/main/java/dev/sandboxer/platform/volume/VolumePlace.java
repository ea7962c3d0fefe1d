package dev.sandboxer.platform.volume;

import dev.sandboxer.platform.sandbox.ExtensionId;

/**
 * Where a volume is, and every sandbox that mounts it has to be.
 *
 * @param extension backend
 * @param host its host
 */
public record VolumePlace(ExtensionId extension, String host) {}
