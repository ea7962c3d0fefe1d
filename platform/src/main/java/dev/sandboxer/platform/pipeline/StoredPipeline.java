package dev.sandboxer.platform.pipeline;

import java.time.Instant;
import java.util.Optional;

/**
 * A pipeline as it is stored.
 *
 * @param tenantId owner
 * @param principalId the key that stored it last; empty for one of an older release
 * @param pipeline what it says
 * @param revision how often it was stored, from 1
 * @param createdAt instant of the first time
 * @param changedAt instant of the last time
 * @param mcpFailures how often in a row its MCP servers could not all be started
 * @param mcpProblem why they do not all run, as of the last look; empty if they do
 */
public record StoredPipeline(
    String tenantId,
    Optional<String> principalId,
    Pipeline pipeline,
    int revision,
    Instant createdAt,
    Instant changedAt,
    int mcpFailures,
    Optional<String> mcpProblem) {}
