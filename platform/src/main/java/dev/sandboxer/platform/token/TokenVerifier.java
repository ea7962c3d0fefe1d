package dev.sandboxer.platform.token;

import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.token.SignatureCheck.Signed;
import java.time.Duration;
import java.time.InstantSource;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Checks client tokens, in this order: size, algorithm, type, known key, signature, issuer,
 * audience, times. Generation, epoch and scope are for the caller, on each use. Usable on event
 * loops: a first check takes about 0.6 ms, later ones of the same token some microseconds, and so
 * does a token that this node made. An address is limited by the signatures that it had checked in
 * vain: what is refused without one costs nothing and is not counted.
 */
public final class TokenVerifier {

  private static final int MAX_LENGTH = 4096;
  private static final int FREE_FAILURES = 200;
  private static final Duration FAILURE_LEAK = Duration.ofMillis(100);

  private final SignatureCheck signatures;
  private final ClaimsReader reader;
  private final InstantSource clock;
  private final FailureLimit failures;
  private final AcceptedTokens accepted;

  /**
   * Makes a verifier.
   *
   * @param keys the present ring
   * @param issuer whose tokens count
   * @param clock to compare times with
   * @param accepted what needs no further check; shared with the minter
   */
  public TokenVerifier(
      Supplier<KeyRing> keys, Issuer issuer, InstantSource clock, AcceptedTokens accepted) {
    this.accepted = accepted;
    this.signatures = new SignatureCheck(keys, KeyPurpose.CLIENT);
    this.reader = new ClaimsReader(issuer);
    this.clock = clock;
    this.failures = new FailureLimit(FREE_FAILURES, FAILURE_LEAK, clock);
  }

  /**
   * Checks a token.
   *
   * @param token as it came, null if none
   * @param sandboxId the sandbox that is asked for
   * @param address of the caller, to limit failures by
   * @return what became of it
   */
  public Verdict verify(@Nullable String token, SandboxId sandboxId, String address) {
    if (token == null) {
      return new Verdict.Refused("no bearer token");
    }
    try {
      return check(token, sandboxId, address);
    } catch (TokenRefusedException e) {
      return new Verdict.Refused(e.reason());
    }
  }

  /**
   * Notes a credential of another kind that was not good, so that its sender is limited as well.
   *
   * @param address of the caller
   */
  public void failed(String address) {
    failures.failed(address);
  }

  /**
   * Whether an address sent too many bad credentials.
   *
   * @param address of the caller
   * @return seconds to wait, 0 if it may try now
   */
  public int waitSeconds(String address) {
    return failures.waitSeconds(address);
  }

  private Verdict check(String token, SandboxId sandboxId, String address)
      throws TokenRefusedException {
    if (token.length() > MAX_LENGTH) {
      throw new TokenRefusedException("longer than " + MAX_LENGTH + " characters");
    }
    TokenClaims known = accepted.token(token);
    if (known != null) {
      return recheck(token, known, sandboxId);
    }
    Signed signed = signatures.parse(token, TokenMinter.CLIENT_TYPE);
    int wait = failures.waitSeconds(address);
    if (wait > 0) {
      return new Verdict.TooMany(wait);
    }
    TokenClaims claims = checkSignature(signed, sandboxId, address);
    accepted.acceptToken(token, claims);
    return new Verdict.Accepted(claims);
  }

  private TokenClaims checkSignature(Signed token, SandboxId sandboxId, String address)
      throws TokenRefusedException {
    try {
      return reader.read(signatures.claims(token), sandboxId, clock.instant().getEpochSecond());
    } catch (TokenRefusedException e) {
      failures.failed(address);
      throw e;
    }
  }

  private Verdict recheck(String token, TokenClaims claims, SandboxId sandboxId)
      throws TokenRefusedException {
    if (clock.instant().getEpochSecond() >= claims.expires()) {
      accepted.removeToken(token);
      throw new TokenRefusedException("expired");
    }
    if (!claims.sandboxId().equals(sandboxId)) {
      throw new TokenRefusedException("another audience");
    }
    return new Verdict.Accepted(claims);
  }
}
