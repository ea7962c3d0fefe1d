package dev.sandboxer.platform.pipeline;

import java.time.Instant;

/**
 * A pipeline as it is stored.
 *
 * @param pipeline what it says
 * @param revision how often it was stored, from 1
 * @param createdAt instant of the first time
 * @param changedAt instant of the last time
 */
public record StoredPipeline(
    Pipeline pipeline, int revision, Instant createdAt, Instant changedAt) {}
