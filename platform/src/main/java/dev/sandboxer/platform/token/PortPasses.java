package dev.sandboxer.platform.token;

import dev.sandboxer.platform.id.SandboxId;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Checks the passes that browsers show for a port. Usable on event loops: a first check takes about
 * 0.6 ms, later ones of the same pass next to nothing.
 */
public final class PortPasses {

  private static final int MAX_LENGTH = 2048;

  private final SignatureCheck signatures;
  private final ClaimsReader reader;
  private final InstantSource clock;
  private final AcceptedTokens accepted;

  /**
   * Makes a verifier.
   *
   * @param keys the present ring
   * @param issuer whose passes count
   * @param clock to compare times with
   * @param accepted what needs no further check; shared with the minter
   */
  public PortPasses(
      Supplier<KeyRing> keys, Issuer issuer, InstantSource clock, AcceptedTokens accepted) {
    this.accepted = accepted;
    this.signatures = new SignatureCheck(keys, KeyPurpose.CLIENT);
    this.reader = new ClaimsReader(issuer);
    this.clock = clock;
  }

  /**
   * Whether a pass was checked before and still counts in itself.
   *
   * @param pass as it came
   * @param sandboxId the sandbox's id
   * @param port inside
   * @return what it says; empty if it must be checked by {@link #check}
   */
  public Optional<TokenClaims> known(String pass, SandboxId sandboxId, int port) {
    TokenClaims claims = accepted.pass(pass, sandboxId, port);
    return Optional.ofNullable(claims)
        .filter(known -> clock.instant().getEpochSecond() < known.expires());
  }

  /**
   * Checks a pass.
   *
   * @param pass as it came
   * @param sandboxId the sandbox's id
   * @param port inside
   * @return what it says; empty if it is not a good one of this port
   */
  public Optional<TokenClaims> check(String pass, SandboxId sandboxId, int port) {
    if (pass.length() > MAX_LENGTH) {
      return Optional.empty();
    }
    try {
      TokenClaims claims =
          reader.readPass(
              signatures.claims(signatures.parse(pass, TokenMinter.PORT_TYPE)),
              sandboxId,
              port,
              clock.instant().getEpochSecond());
      accepted.acceptPass(pass, port, claims);
      return Optional.of(claims);
    } catch (TokenRefusedException e) {
      return Optional.empty();
    }
  }
}
