package dev.sandboxer.dataplane;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.URI;
import java.time.Instant;
import java.time.format.DateTimeParseException;

/**
 * The right to use one sandbox's dataplane for a while.
 *
 * @param http base of the HTTP routes, such as {@code https://host/dp/sb_.../v1}; without a slash
 *     at its end
 * @param ws the same for WebSockets, with scheme {@code ws} or {@code wss}
 * @param token sent as a bearer token; stands in no message
 * @param expiresAt when the token ends; {@link Instant#MAX} if the caller does not know
 */
public record Grant(URI http, URI ws, String token, Instant expiresAt) {

  /**
   * Checks both addresses and the token.
   *
   * @throws IllegalArgumentException when an address has no host or another scheme, or the token is
   *     empty or has characters that no header may have
   */
  public Grant {
    check(http, "http_base_url", "http");
    check(ws, "ws_base_url", "ws");
    if (!token.matches("[!-~]+")) {
      throw new IllegalArgumentException(
          "token is empty or has characters that no header may have");
    }
  }

  /**
   * A grant whose end is not known, from one address and a token.
   *
   * @param base of the HTTP routes; that of the WebSockets is the same with scheme ws or wss
   * @throws IllegalArgumentException as the constructor
   */
  public static Grant of(URI base, String token) {
    URI http = trimmed(base.toString());
    URI ws = URI.create(http.toString().replaceFirst("^http", "ws"));
    return new Grant(http, ws, token, Instant.MAX);
  }

  /**
   * Reads the platform's answer to {@code GET /v1/sandboxes/{id}/access}.
   *
   * @throws BadAnswer when it is not a grant
   */
  public static Grant of(JsonNode answer) {
    try {
      return new Grant(
          trimmed(answer.path("http_base_url").asText()),
          trimmed(answer.path("ws_base_url").asText()),
          answer.path("token").asText(),
          Instant.parse(answer.path("expires_at").asText()));
    } catch (IllegalArgumentException | DateTimeParseException e) {
      throw new BadAnswer("the platform's grant cannot be read: " + e.getMessage(), e);
    }
  }

  private static URI trimmed(String address) {
    return URI.create(address.replaceAll("/+$", ""));
  }

  private static void check(URI base, String field, String scheme) {
    boolean named = scheme.equals(base.getScheme()) || (scheme + "s").equals(base.getScheme());
    if (!named || base.getHost() == null) {
      throw new IllegalArgumentException(
          field + " is '" + base + "', not an address " + scheme + "(s)://HOST/...");
    }
  }

  /** The address alone: the token stays out of every message. */
  @Override
  public String toString() {
    return http.toString();
  }
}
