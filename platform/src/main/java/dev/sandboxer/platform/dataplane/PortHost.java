package dev.sandboxer.platform.dataplane;

/**
 * The host name of one port of one sandbox: {@code p<port>-<raw id>.<domain>}.
 *
 * @param port inside
 * @param sandboxId the raw id
 */
record PortHost(int port, String sandboxId) {}
