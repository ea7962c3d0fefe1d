package dev.sandboxer.platform.dataplane;

import dev.sandboxer.platform.id.SandboxId;

/**
 * The host name of one port of one sandbox: {@code p<port>-<raw id>.<domain>}.
 *
 * @param port inside
 * @param sandboxId the sandbox's id
 */
record PortHost(int port, SandboxId sandboxId) {}
