package dev.sandboxer.platform.dataplane.wire;

import dev.sandboxer.platform.id.SandboxId;

/**
 * One boxd. Connections are pooled by it, so that those of an earlier incarnation are never used.
 *
 * @param sandboxId the sandbox's id
 * @param generation incarnation
 * @param transport to it
 */
public record Endpoint(SandboxId sandboxId, int generation, Transport transport) {}
