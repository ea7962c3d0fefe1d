package dev.sandboxer.platform.routing;

import dev.sandboxer.spi.HostRef;

/**
 * A backend and a place on it.
 *
 * @param extensionId such as {@code ext.nsjail}
 * @param host where
 */
public record Candidate(String extensionId, HostRef host) {}
