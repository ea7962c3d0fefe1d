package dev.sandboxer.platform.api;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Where a key stands in a request: {@code Authorization: Bearer} or {@code X-API-KEY}. Where both
 * are there and the first is no key, such as the token that is to be renewed, the second counts.
 */
public final class Credentials {

  private static final String BEARER = "Bearer ";
  private static final String KEY = "sbxk_";

  private Credentials() {}

  /**
   * Finds the key of a request.
   *
   * @param authorization the header, null if there is none
   * @param apiKey the header {@code X-API-KEY}, null if there is none
   * @return empty if neither is there
   */
  public static Optional<String> of(@Nullable String authorization, @Nullable String apiKey) {
    if (authorization == null) {
      return Optional.ofNullable(apiKey);
    }
    boolean bearer = authorization.regionMatches(true, 0, BEARER, 0, BEARER.length());
    String value = bearer ? authorization.substring(BEARER.length()).strip() : authorization;
    return apiKey != null && bearer && !value.startsWith(KEY)
        ? Optional.of(apiKey)
        : Optional.of(value);
  }
}
