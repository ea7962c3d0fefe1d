package dev.sandboxer.platform.dataplane;

import dev.sandboxer.platform.token.TokenClaims;
import dev.sandboxer.spi.DataplaneAddress;
import java.util.Optional;

/**
 * What the relay asks about sandboxes. Called on event-loop threads for each request: it answers
 * from memory and never blocks.
 */
public interface DataplaneTargets {

  /**
   * Finds a sandbox that may be reached now.
   *
   * @param sandboxId the raw id
   * @return empty if there is none, or it is neither ready nor active, or this node does not know
   *     yet; the relay then asks {@link #load} once
   */
  Optional<Target> find(String sandboxId);

  /**
   * Reads the sandbox from the database, for a node that has not seen it yet. Blocks.
   *
   * @param sandboxId the raw id
   * @return as {@link #find}
   */
  Optional<Target> load(String sandboxId);

  /**
   * Notes that the dataplane was used. Quick; written in batches.
   *
   * @param target of the request
   */
  void used(Target target);

  /**
   * Notes bytes that moved. Quick; written in batches.
   *
   * @param target of the stream
   * @param bytes of bodies and WebSockets, both ways
   */
  default void moved(Target target, long bytes) {}

  /**
   * The smallest epoch that counts now: the largest minimum of session, sandbox, tenant and all.
   *
   * @param target of the request
   * @param claims of the token
   * @return tokens below it are revoked
   */
  default long minEpoch(Target target, TokenClaims claims) {
    return target.minEpoch();
  }

  /**
   * Whether what was revoked could not be read for too long, so that nobody may be let in.
   *
   * @return true if so
   */
  default boolean stale() {
    return false;
  }

  /**
   * A reachable sandbox.
   *
   * @param sandboxId the raw id
   * @param tenantId the owner
   * @param generation incarnation
   * @param minEpoch tokens below it are revoked
   * @param address where boxd listens
   */
  record Target(
      String sandboxId, String tenantId, int generation, long minEpoch, DataplaneAddress address) {}
}
