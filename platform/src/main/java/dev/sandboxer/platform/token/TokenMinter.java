package dev.sandboxer.platform.token;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.sandboxer.platform.id.SandboxId;
import io.smallrye.jwt.algorithm.SignatureAlgorithm;
import io.smallrye.jwt.build.Jwt;
import io.smallrye.jwt.build.JwtClaimsBuilder;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collections;
import java.util.List;
import java.util.Map;
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
  static final String PEER_TYPE = "sandboxer-peer+jwt";

  /** Clients' tokens are revoked where their requests come in. */
  private static final long NOT_REVOKED = Long.MAX_VALUE;

  private static final String RELAY = "urn:sandboxer:relay";
  private static final Duration RELAY_RENEWAL = Duration.ofSeconds(15);
  private static final int CACHED_RELAY_TOKENS = 8192;

  private final Supplier<KeyRing> keys;
  private final Issuer issuer;
  private final InstantSource clock;
  private final UuidV7 ids;
  private final Duration clientLife;
  private final AcceptedTokens accepted;
  private final Cache<Record, MintedToken> relayTokens =
      Caffeine.newBuilder().maximumSize(CACHED_RELAY_TOKENS).executor(Runnable::run).build();

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
    this(keys, issuer, clock, accepted, CLIENT_LIFE);
  }

  TokenMinter(
      Supplier<KeyRing> keys,
      Issuer issuer,
      InstantSource clock,
      AcceptedTokens accepted,
      Duration clientLife) {
    this.accepted = accepted;
    this.clientLife = clientLife;
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
    JwtClaimsBuilder claims =
        claims(
            Issuer.clientAudience(grant.sandboxId()),
            grant.subject(),
            grant.generation(),
            grant.epoch(),
            grant.capabilities());
    claims.claim("client_id", grant.clientId());
    claims.claim("sandbox_id", grant.sandboxId().publicId());
    claims.claim("scopes", Capability.names(grant.capabilities()));
    if (grant.actor() != null) {
      claims.claim("act", Map.of("sub", grant.actor()));
    }
    if (grant.sessionId() != null) {
      claims.claim("sid", grant.sessionId());
    }
    if (grant.threadId() != null) {
      claims.claim("thread_id", grant.threadId());
    }
    if (grant.runId() != null) {
      claims.claim("run_id", grant.runId());
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
    JwtClaimsBuilder pass =
        claims(
            Issuer.portAudience(claims.sandboxId(), port),
            claims.subject(),
            claims.generation(),
            claims.epoch(),
            Set.of(Capability.PORT));
    if (claims.sessionId() != null) {
      pass.claim("sid", claims.sessionId());
    }
    if (claims.clientId() != null) {
      pass.claim("client_id", claims.clientId());
    }
    MintedToken minted = sign(KeyPurpose.CLIENT, PORT_TYPE, pass, PORT_LIFE);
    long end = minted.expiresAt().getEpochSecond();
    accepted.acceptPass(minted.value(), port, claims.ofPass(end - PORT_LIFE.toSeconds(), end));
    return minted;
  }

  /**
   * A relay token for one capability, cached until 15 s before its end.
   *
   * @param sandboxId the sandbox's id
   * @param generation incarnation of the sandbox
   * @param capability the one that the route wants
   * @return a token that boxd takes for at least 15 s
   */
  public MintedToken relay(SandboxId sandboxId, int generation, Capability capability) {
    return cached(
        new RelayKey(sandboxId, generation, capability),
        CLIENT_TYPE,
        () -> claims(Issuer.boxdAudience(sandboxId), RELAY, generation, 0, Set.of(capability)));
  }

  /**
   * A token by which another node opens a stream to a sandbox for this one, cached as {@link
   * #relay}.
   *
   * @param node that is asked
   * @param sandboxId the sandbox's id
   * @param generation incarnation of the sandbox
   * @return a token that the node takes for at least 15 s
   */
  public MintedToken peer(String node, SandboxId sandboxId, int generation) {
    return cached(
        new PeerKey(node, sandboxId, generation),
        PEER_TYPE,
        () ->
            claims(Issuer.peerAudience(node, sandboxId), RELAY, generation, NOT_REVOKED, Set.of()));
  }

  private MintedToken cached(Record key, String type, Supplier<JwtClaimsBuilder> claims) {
    MintedToken cached = relayTokens.getIfPresent(key);
    if (cached != null && clock.instant().isBefore(cached.expiresAt().minus(RELAY_RENEWAL))) {
      return cached;
    }
    MintedToken minted = sign(KeyPurpose.RELAY, type, claims.get(), RELAY_LIFE);
    relayTokens.put(key, minted);
    return minted;
  }

  private JwtClaimsBuilder claims(
      String audience, String subject, int generation, long epoch, Set<Capability> scope) {
    return Jwt.claims()
        .issuer(issuer.urn())
        .subject(subject)
        .audience(audience)
        .claim("gen", generation)
        .claim("epoch", epoch)
        .claim("scope", Capability.scope(scope))
        .claim("jti", ids.next());
  }

  private MintedToken sign(
      KeyPurpose purpose, String type, JwtClaimsBuilder claims, Duration life) {
    SigningKey key = keys.get().current(purpose);
    long now = clock.instant().getEpochSecond();
    long end = now + life.toSeconds();
    String signed =
        claims
            .issuedAt(now)
            .claim("nbf", now)
            .expiresAt(end)
            .jws()
            .type(type)
            .keyId(key.kid())
            .algorithm(SignatureAlgorithm.ES256)
            .sign(key.privateKey());
    return new MintedToken(Es256.withLowS(signed), Instant.ofEpochSecond(end));
  }

  private record RelayKey(SandboxId sandboxId, int generation, Capability capability) {}

  private record PeerKey(String node, SandboxId sandboxId, int generation) {}
}
