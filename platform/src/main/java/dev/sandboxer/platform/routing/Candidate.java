package dev.sandboxer.platform.routing;

import dev.sandboxer.platform.sandbox.ExtensionId;
import dev.sandboxer.spi.HostRef;

/**
 * A backend and a place on it.
 *
 * @param extension whom to ask
 * @param host where
 */
public record Candidate(ExtensionId extension, HostRef host) {}
