package dev.sandboxer.spi;

import java.time.Instant;
import java.util.OptionalLong;

/**
 * A volume as its backend has it.
 *
 * @param name as in {@link Volumes#ensureVolume}
 * @param sizeBytes its limit
 * @param usedBytes what is taken of it, empty if the backend cannot say
 * @param createdAt when it was made, as the backend says
 */
public record VolumeInfo(String name, long sizeBytes, OptionalLong usedBytes, Instant createdAt) {}
