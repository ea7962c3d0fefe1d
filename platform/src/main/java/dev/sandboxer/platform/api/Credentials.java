package dev.sandboxer.platform.api;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Where a key stands in a request: {@code Authorization: Bearer} or {@code X-API-KEY}. */
final class Credentials {

  private static final String BEARER = "Bearer ";

  private Credentials() {}

  static Optional<String> of(@Nullable String authorization, @Nullable String apiKey) {
    if (authorization == null) {
      return Optional.ofNullable(apiKey);
    }
    boolean bearer = authorization.regionMatches(true, 0, BEARER, 0, BEARER.length());
    return Optional.of(bearer ? authorization.substring(BEARER.length()).strip() : authorization);
  }
}
