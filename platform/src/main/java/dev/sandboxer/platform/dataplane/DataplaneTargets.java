package dev.sandboxer.platform.dataplane;

import dev.sandboxer.platform.dataplane.wire.Transport;
import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.token.TokenClaims;
import java.util.Optional;

/**
 * What the relay asks about sandboxes. Called on event-loop threads for each request: it answers
 * from memory and never blocks.
 */
public interface DataplaneTargets {

  /**
   * Finds a sandbox that may be reached now.
   *
   * @param sandboxId the sandbox's id
   * @return empty if there is none, or it is neither ready nor active, or this node does not know
   *     yet; the relay then asks {@link #load} once
   */
  Optional<Target> find(SandboxId sandboxId);

  /**
   * Reads the sandbox from the database, for a node that has not seen it yet, and asks its
   * extension again for a transport that has not outlived a restart. A suspended sandbox is resumed
   * first. Blocks, for half a minute at most.
   *
   * @param sandboxId the sandbox's id
   * @return as {@link #find}; with {@link Transport.Unreachable} it is not kept in memory
   */
  Optional<Target> load(SandboxId sandboxId);

  /**
   * Like {@link #load(SandboxId)}, for who has a token: one that was revoked resumes nothing.
   *
   * @param claims of the token
   * @return as {@link #find}
   */
  default Optional<Target> load(TokenClaims claims) {
    return load(claims.sandboxId());
  }

  /**
   * Nothing could be opened by its transport: what is known of the sandbox is read again for the
   * next request. Quick.
   *
   * @param target that could not be reached
   */
  default void lost(Target target) {}

  /**
   * Whether a request that was let in a moment ago would not be any more. Asked once it is
   * registered: what happens from then on cuts it.
   *
   * @param target of the request
   * @param claims of its token
   * @return true if the incarnation has ended, or the token was revoked
   */
  default boolean ended(Target target, TokenClaims claims) {
    return find(target.sandboxId()).isEmpty();
  }

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
   * @param sandboxId the sandbox's id
   * @param tenantId the owner
   * @param generation incarnation
   * @param minEpoch tokens below it are revoked
   * @param transport to its boxd
   */
  record Target(
      SandboxId sandboxId, String tenantId, int generation, long minEpoch, Transport transport) {}
}
