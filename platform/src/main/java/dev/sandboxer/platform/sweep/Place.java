package dev.sandboxer.platform.sweep;

import dev.sandboxer.platform.sandbox.ExtensionId;
import dev.sandboxer.spi.HostRef;
import java.time.Instant;

/**
 * An extension on a host, claimed by this node to be listed.
 *
 * @param extension whom to ask
 * @param host where
 * @param token fencing token of the claim
 * @param began the database's time of the claim: what came later is not judged
 */
record Place(ExtensionId extension, HostRef host, long token, Instant began) {

  @Override
  public String toString() {
    return "extension=%s host=%s".formatted(extension, host.id());
  }
}
