package dev.sandboxer.platform.token;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Checks client tokens, in this order: size, algorithm, type, known key, signature, issuer,
 * audience, times. Generation, epoch and scope are for the caller, on each use. Usable on event
 * loops: a first check takes about 0.6 ms, later ones of the same token some microseconds.
 */
public final class TokenVerifier {

  private static final int MAX_LENGTH = 4096;
  private static final int CACHED_TOKENS = 8192;
  private static final int FREE_FAILURES = 200;
  private static final Duration FAILURE_LEAK = Duration.ofMillis(100);
  private static final List<String> HEADER = List.of("alg", "typ", "kid");

  private final Supplier<KeyRing> keys;
  private final ClaimsReader reader;
  private final InstantSource clock;
  private final FailureLimit failures;
  private final StrictJson json = new StrictJson();
  private final BoundedCache<ByteBuffer, TokenClaims> accepted = new BoundedCache<>(CACHED_TOKENS);

  /**
   * Makes a verifier.
   *
   * @param keys the present ring
   * @param issuer whose tokens count
   * @param clock to compare times with
   */
  public TokenVerifier(Supplier<KeyRing> keys, Issuer issuer, InstantSource clock) {
    this.keys = keys;
    this.reader = new ClaimsReader(issuer);
    this.clock = clock;
    this.failures = new FailureLimit(FREE_FAILURES, FAILURE_LEAK, clock);
  }

  /**
   * Checks a token.
   *
   * @param token as it came, null if none
   * @param sandboxId the raw id of the sandbox that is asked for
   * @param address of the caller, to limit failures by
   * @return what became of it
   */
  public Verdict verify(@Nullable String token, String sandboxId, String address) {
    if (token == null) {
      return new Verdict.Refused("no bearer token");
    }
    try {
      return check(token, sandboxId, address);
    } catch (TokenRefusedException e) {
      failures.failed(address);
      return new Verdict.Refused(e.reason());
    }
  }

  private Verdict check(String token, String sandboxId, String address)
      throws TokenRefusedException {
    if (token.length() > MAX_LENGTH) {
      throw new TokenRefusedException("longer than " + MAX_LENGTH + " characters");
    }
    ByteBuffer hash = ByteBuffer.wrap(sha256(token));
    TokenClaims known = accepted.get(hash);
    if (known != null) {
      return recheck(hash, known, sandboxId);
    }
    int wait = failures.waitSeconds(address);
    if (wait > 0) {
      return new Verdict.TooMany(wait);
    }
    TokenClaims claims = checkWhole(token, sandboxId);
    accepted.put(hash, claims);
    return new Verdict.Accepted(claims);
  }

  private Verdict recheck(ByteBuffer hash, TokenClaims claims, String sandboxId)
      throws TokenRefusedException {
    if (clock.instant().getEpochSecond() >= claims.expires()) {
      accepted.remove(hash);
      throw new TokenRefusedException("expired");
    }
    if (!claims.sandboxId().equals(sandboxId)) {
      throw new TokenRefusedException("another audience");
    }
    return new Verdict.Accepted(claims);
  }

  private TokenClaims checkWhole(String token, String sandboxId) throws TokenRefusedException {
    String[] parts = token.split("\\.", -1);
    if (parts.length != 3) {
      throw new TokenRefusedException("not three parts");
    }
    SigningKey key = key(json.object(parts[0]));
    byte[] signature = json.bytes(parts[2]);
    byte[] input = token.substring(0, token.lastIndexOf('.')).getBytes(StandardCharsets.US_ASCII);
    if (!Es256.verify(key.publicKey(), input, signature)) {
      throw new TokenRefusedException("bad signature");
    }
    return reader.read(json.object(parts[1]), sandboxId, clock.instant().getEpochSecond());
  }

  /** Exactly three members: nothing in a header may point to another key or processing. */
  private SigningKey key(JsonNode header) throws TokenRefusedException {
    if (header.size() != HEADER.size() || !HEADER.stream().allMatch(header::has)) {
      throw new TokenRefusedException("header has other members than alg, typ and kid");
    }
    if (!"ES256".equals(header.path("alg").textValue())) {
      throw new TokenRefusedException("another algorithm");
    }
    if (!"at+jwt".equals(header.path("typ").textValue())) {
      throw new TokenRefusedException("another type");
    }
    String kid = header.path("kid").textValue();
    if (kid == null) {
      throw new TokenRefusedException("kid is no text");
    }
    return keys.get()
        .find(KeyPurpose.CLIENT, kid)
        .orElseThrow(() -> new TokenRefusedException("unknown kid"));
  }

  private static byte[] sha256(String token) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("this JDK has no SHA-256", e);
    }
  }
}
