package dev.sandboxer.platform.token;

import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/** Makes tokens. Usable from any thread, event loops too: signing takes 0.1 ms at most. */
public final class TokenMinter {

  /** Life of a client token. */
  public static final Duration CLIENT_LIFE = Duration.ofMinutes(5);

  /** Life of a relay token. */
  public static final Duration RELAY_LIFE = Duration.ofMinutes(1);

  /** Life of a pass for a port in a browser. */
  public static final Duration PORT_LIFE = Duration.ofHours(8);

  /** Nothing that is made here lives longer. */
  public static final Duration LONGEST_LIFE =
      Collections.max(List.of(CLIENT_LIFE, RELAY_LIFE, PORT_LIFE));

  static final String CLIENT_TYPE = "at+jwt";
  static final String PORT_TYPE = "sandboxer-port+jwt";

  private static final Duration RELAY_RENEWAL = Duration.ofSeconds(15);
  private static final int CACHED_RELAY_TOKENS = 4096;
  private static final Base64.Encoder BASE64 = Base64.getUrlEncoder().withoutPadding();

  private final Supplier<KeyRing> keys;
  private final Issuer issuer;
  private final InstantSource clock;
  private final UuidV7 ids;
  private final Duration clientLife;
  private final Es256 es256;
  private final AcceptedTokens accepted;
  private final BoundedCache<RelayKey, MintedToken> relayTokens =
      new BoundedCache<>(CACHED_RELAY_TOKENS);

  /**
   * Makes a minter.
   *
   * @param keys the present ring
   * @param issuer whose tokens
   * @param clock for times in tokens
   * @param accepted gets what is made here, so that nobody checks it
   */
  public TokenMinter(
      Supplier<KeyRing> keys, Issuer issuer, InstantSource clock, AcceptedTokens accepted) {
    this(keys, issuer, clock, accepted, CLIENT_LIFE, new Es256());
  }

  TokenMinter(
      Supplier<KeyRing> keys,
      Issuer issuer,
      InstantSource clock,
      AcceptedTokens accepted,
      Duration clientLife,
      Es256 es256) {
    this.accepted = accepted;
    this.clientLife = clientLife;
    this.es256 = es256;
    this.keys = keys;
    this.issuer = issuer;
    this.clock = clock;
    this.ids = new UuidV7(clock);
  }

  /**
   * Makes a client token, with a life of {@link #CLIENT_LIFE} where nothing else was set.
   *
   * @param grant what it says
   * @return a new token
   */
  public MintedToken client(ClientGrant grant) {
    JsonObject claims =
        claims(
            Issuer.clientAudience(grant.sandboxId()),
            grant.subject(),
            grant.generation(),
            grant.epoch(),
            grant.capabilities());
    claims.put("client_id", grant.clientId());
    if (grant.actor() != null) {
      claims.put("act", new JsonObject().put("sub", grant.actor()));
    }
    if (grant.sessionId() != null) {
      claims.put("sid", grant.sessionId());
    }
    if (grant.threadId() != null) {
      claims.put("thread_id", grant.threadId());
    }
    if (grant.runId() != null) {
      claims.put("run_id", grant.runId());
    }
    MintedToken minted = sign(KeyPurpose.CLIENT, CLIENT_TYPE, claims, clientLife);
    long end = minted.expiresAt().getEpochSecond();
    accepted.acceptToken(minted.value(), grant.claims(end - clientLife.toSeconds(), end));
    return minted;
  }

  /**
   * A pass for one port in a browser, with a life of {@link #PORT_LIFE}; it counts until its
   * generation, epoch, session or key ends, as the token does that it goes back to.
   *
   * @param claims of that token
   * @param port inside
   * @return a new pass
   */
  public MintedToken portPass(TokenClaims claims, int port) {
    JsonObject pass =
        claims(
            Issuer.portAudience(claims.sandboxId(), port),
            claims.subject(),
            claims.generation(),
            claims.epoch(),
            Set.of(Capability.PORT));
    if (claims.sessionId() != null) {
      pass.put("sid", claims.sessionId());
    }
    if (claims.clientId() != null) {
      pass.put("client_id", claims.clientId());
    }
    MintedToken minted = sign(KeyPurpose.CLIENT, PORT_TYPE, pass, PORT_LIFE);
    long end = minted.expiresAt().getEpochSecond();
    accepted.acceptPass(minted.value(), port, claims.ofPass(end - PORT_LIFE.toSeconds(), end));
    return minted;
  }

  /**
   * A relay token for one capability, cached until 15 s before its end.
   *
   * @param sandboxId the raw id
   * @param generation incarnation of the sandbox
   * @param capability the one that the route wants
   * @return a token that boxd takes for at least 15 s
   */
  public MintedToken relay(String sandboxId, int generation, Capability capability) {
    RelayKey key = new RelayKey(sandboxId, generation, capability);
    MintedToken cached = relayTokens.get(key);
    if (cached != null && clock.instant().isBefore(cached.expiresAt().minus(RELAY_RENEWAL))) {
      return cached;
    }
    JsonObject claims =
        claims(
            Issuer.boxdAudience(sandboxId),
            "urn:sandboxer:relay",
            generation,
            0,
            Set.of(capability));
    MintedToken minted = sign(KeyPurpose.RELAY, CLIENT_TYPE, claims, RELAY_LIFE);
    relayTokens.put(key, minted);
    return minted;
  }

  private JsonObject claims(
      String audience, String subject, int generation, long epoch, Set<Capability> scope) {
    return new JsonObject()
        .put("iss", issuer.urn())
        .put("sub", subject)
        .put("aud", audience)
        .put("gen", generation)
        .put("epoch", epoch)
        .put("scope", Capability.scope(scope))
        .put("jti", ids.next());
  }

  private MintedToken sign(KeyPurpose purpose, String type, JsonObject claims, Duration life) {
    SigningKey key = keys.get().current(purpose);
    long now = clock.instant().getEpochSecond();
    long end = now + life.toSeconds();
    claims.put("iat", now).put("nbf", now).put("exp", end);
    JsonObject header = new JsonObject().put("alg", "ES256").put("typ", type).put("kid", key.kid());
    String input = encode(header) + "." + encode(claims);
    byte[] signature = es256.sign(key.privateKey(), input.getBytes(StandardCharsets.US_ASCII));
    return new MintedToken(
        input + "." + BASE64.encodeToString(signature), Instant.ofEpochSecond(end));
  }

  private static String encode(JsonObject json) {
    return BASE64.encodeToString(json.encode().getBytes(StandardCharsets.UTF_8));
  }

  private record RelayKey(String sandboxId, int generation, Capability capability) {}
}
