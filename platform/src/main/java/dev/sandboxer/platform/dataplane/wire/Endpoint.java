package dev.sandboxer.platform.dataplane.wire;

import java.nio.file.Path;

/**
 * One boxd. Connections are pooled by it, so that those of an earlier incarnation are never used.
 *
 * @param sandboxId the raw id
 * @param generation incarnation
 * @param socket path of its Unix socket
 */
public record Endpoint(String sandboxId, int generation, Path socket) {}
