package dev.sandboxer.platform.token;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.platform.id.SandboxId;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Checks the claims of a client token whose signature is good. */
final class ClaimsReader {

  static final long MAX_LIFE_SECONDS = 900;

  /** Nodes' clocks may differ by this. */
  static final long LEEWAY_SECONDS = 5;

  private final Issuer issuer;

  ClaimsReader(Issuer issuer) {
    this.issuer = issuer;
  }

  TokenClaims read(JsonNode claims, SandboxId sandboxId, long now) throws TokenRefusedException {
    return read(claims, sandboxId, Issuer.clientAudience(sandboxId), MAX_LIFE_SECONDS, now);
  }

  /** The same for a pass to a port. */
  TokenClaims readPass(JsonNode claims, SandboxId sandboxId, int port, long now)
      throws TokenRefusedException {
    String audience = Issuer.portAudience(sandboxId, port);
    return read(claims, sandboxId, audience, TokenMinter.PORT_LIFE.toSeconds(), now);
  }

  /** The same for a token of another node. */
  TokenClaims readPeer(JsonNode claims, String node, SandboxId sandboxId, long now)
      throws TokenRefusedException {
    String audience = Issuer.peerAudience(node, sandboxId);
    return read(claims, sandboxId, audience, TokenMinter.RELAY_LIFE.toSeconds(), now);
  }

  private TokenClaims read(
      JsonNode claims, SandboxId sandboxId, String audience, long maxLife, long now)
      throws TokenRefusedException {
    require(issuer.urn().equals(text(claims, "iss")), "another issuer");
    require(audience.equals(audience(claims.path("aud"))), "another audience");
    checkTimes(claims, maxLife, now);
    long generation = number(claims, "gen");
    require(generation >= 1 && generation <= Integer.MAX_VALUE, "generation out of range");
    long epoch = number(claims, "epoch");
    require(epoch >= 0, "epoch out of range");
    text(claims, "jti");
    return new TokenClaims(
        sandboxId,
        (int) generation,
        epoch,
        text(claims, "sub"),
        optionalText(claims, "sid"),
        scope(text(claims, "scope")),
        number(claims, "nbf"),
        number(claims, "exp"),
        optionalText(claims, "client_id"),
        optionalText(claims, "thread_id"),
        optionalText(claims, "run_id"));
  }

  private static void checkTimes(JsonNode claims, long maxLife, long now)
      throws TokenRefusedException {
    long issued = number(claims, "iat");
    long notBefore = number(claims, "nbf");
    long expires = number(claims, "exp");
    require(issued >= 0 && notBefore >= 0 && expires >= 0, "negative time");
    require(expires > issued && expires - issued <= maxLife, "life out of range");
    require(issued <= now + LEEWAY_SECONDS, "issued in the future");
    require(notBefore <= now + LEEWAY_SECONDS, "not valid yet");
    require(now < expires, "expired");
  }

  private static String audience(JsonNode node) throws TokenRefusedException {
    JsonNode one = node.isArray() && node.size() == 1 ? node.get(0) : node;
    require(one.isTextual(), "not exactly one audience");
    return one.textValue();
  }

  private static Set<Capability> scope(String scope) throws TokenRefusedException {
    Set<Capability> capabilities = EnumSet.noneOf(Capability.class);
    if (scope.isEmpty()) {
      return capabilities;
    }
    for (String name : scope.split(" ", -1)) {
      Capability capability =
          Capability.of(name).orElseThrow(() -> new TokenRefusedException("unknown capability"));
      require(capability != Capability.ADMIN, "admin in a client token");
      capabilities.add(capability);
    }
    return capabilities;
  }

  private static String text(JsonNode claims, String name) throws TokenRefusedException {
    JsonNode node = claims.path(name);
    require(node.isTextual(), name + " is missing or no text");
    return node.textValue();
  }

  private static @Nullable String optionalText(JsonNode claims, String name)
      throws TokenRefusedException {
    return claims.has(name) ? text(claims, name) : null;
  }

  private static long number(JsonNode claims, String name) throws TokenRefusedException {
    JsonNode node = claims.path(name);
    require(node.isIntegralNumber() && node.canConvertToLong(), name + " is missing or no integer");
    return node.longValue();
  }

  private static void require(boolean condition, String reason) throws TokenRefusedException {
    if (!condition) {
      throw new TokenRefusedException(reason);
    }
  }
}
