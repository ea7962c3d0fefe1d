package dev.sandboxer.platform.dataplane;

import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.token.Capability;
import dev.sandboxer.platform.token.TokenClaims;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a ticket is good for, once.
 *
 * @param claims of the token that asked for it, with the route's capability alone
 * @param route path below the sandbox, such as {@code /v1/exec/ws}
 * @param origin that the page must have; null for a caller that is no page
 */
record Ticket(TokenClaims claims, String route, @Nullable String origin) {

  static Ticket of(
      TokenClaims token, Capability capability, String route, @Nullable String origin) {
    return new Ticket(token.only(capability), route, origin);
  }

  Capability capability() {
    return claims.capabilities().iterator().next();
  }

  /** Whether it was made for exactly this. */
  boolean fits(SandboxId sandboxId, String askedRoute, @Nullable String askedOrigin) {
    return claims.sandboxId().equals(sandboxId)
        && route.equals(askedRoute)
        && Objects.equals(origin, askedOrigin);
  }

  /**
   * A ticket as its holder gets it.
   *
   * @param value to be shown once, within its life
   * @param expiresAt end of its life
   */
  record Issued(String value, Instant expiresAt) {}
}
