package dev.sandboxer.platform.sweep;

import dev.sandboxer.platform.sandbox.ExtensionId;
import dev.sandboxer.spi.HostRef;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An extension on a host, claimed by this node to be listed.
 *
 * @param extension whom to ask
 * @param host where
 * @param token fencing token of the claim
 * @param began the database's time of the claim: what came later is not judged
 * @param order which an operator gave for this pass, null for one that was just due
 */
record Place(
    ExtensionId extension, HostRef host, long token, Instant began, @Nullable Order order) {

  /**
   * What an operator ordered.
   *
   * @param id of the order
   * @param dryRun whether nothing may change
   * @param confirm whether any number of removals may be made
   */
  record Order(String id, boolean dryRun, boolean confirm) {}

  boolean dryRun() {
    return order != null && order.dryRun();
  }

  boolean confirmed() {
    return order != null && order.confirm();
  }

  @Override
  public String toString() {
    return "extension=%s host=%s".formatted(extension, host.id());
  }
}
