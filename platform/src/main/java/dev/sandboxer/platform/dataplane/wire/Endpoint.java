package dev.sandboxer.platform.dataplane.wire;

/**
 * One boxd. Connections are pooled by it, so that those of an earlier incarnation are never used.
 *
 * @param sandboxId the raw id
 * @param generation incarnation
 * @param transport to it
 */
public record Endpoint(String sandboxId, int generation, Transport transport) {}
