package dev.sandboxer.platform.token;

/** Hears of each revocation, on every node, also of those that it makes itself. */
public interface RevocationListener {

  /**
   * Tokens below an epoch count no more. Called on a virtual thread, perhaps more than once.
   *
   * @param kind of what
   * @param id of it, a raw one for sandboxes
   * @param minEpoch the new minimum
   */
  void revoked(Revocations.Kind kind, String id, long minEpoch);
}
