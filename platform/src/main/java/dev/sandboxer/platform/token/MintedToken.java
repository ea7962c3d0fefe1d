package dev.sandboxer.platform.token;

import java.time.Instant;

/**
 * A token to hand out.
 *
 * @param value secret
 * @param expiresAt when it ends, whole seconds
 */
public record MintedToken(String value, Instant expiresAt) {

  @Override
  public String toString() {
    return "MintedToken[expiresAt=" + expiresAt + "]";
  }
}
