package dev.sandboxer.platform.session;

import dev.sandboxer.platform.token.Capability;
import dev.sandboxer.platform.token.MintedToken;
import java.time.Instant;
import java.util.List;
import java.util.Set;

/**
 * A session that can be used, and the token for it.
 *
 * @param session as read
 * @param leaseUntil end of the lease
 * @param token fresh
 * @param capabilities in the token
 * @param warnings what of the request was left aside
 * @param replayed whether an earlier request with the same Idempotency-Key had made it
 */
public record Granted(
    SessionRow session,
    Instant leaseUntil,
    MintedToken token,
    Set<Capability> capabilities,
    List<String> warnings,
    boolean replayed) {

  /** Keeps immutable copies. */
  public Granted {
    capabilities = Set.copyOf(capabilities);
    warnings = List.copyOf(warnings);
  }

  /**
   * The same with other warnings.
   *
   * @param warnings what of the request was left aside
   * @return a copy
   */
  public Granted warning(List<String> warnings) {
    return new Granted(session, leaseUntil, token, capabilities, warnings, replayed);
  }
}
