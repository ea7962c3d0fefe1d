package dev.sandboxer.platform.token;

import dev.sandboxer.platform.id.SandboxId;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a checked client token says.
 *
 * @param sandboxId the sandbox's id
 * @param generation incarnation
 * @param epoch of revocation
 * @param subject who acts
 * @param sessionId null if none
 * @param capabilities granted
 * @param notBefore seconds since 1970
 * @param expires seconds since 1970
 * @param clientId the API key that asked, null in tokens of older releases
 * @param threadId the thread that it is for, null if none
 * @param runId the run that it is for, null if none
 */
public record TokenClaims(
    SandboxId sandboxId,
    int generation,
    long epoch,
    String subject,
    @Nullable String sessionId,
    Set<Capability> capabilities,
    long notBefore,
    long expires,
    @Nullable String clientId,
    @Nullable String threadId,
    @Nullable String runId) {

  /** Keeps an immutable copy. */
  public TokenClaims {
    capabilities = Set.copyOf(capabilities);
  }

  /**
   * The same with one capability.
   *
   * @param capability that is left
   * @return a copy
   */
  public TokenClaims only(Capability capability) {
    return new TokenClaims(
        sandboxId,
        generation,
        epoch,
        subject,
        sessionId,
        Set.of(capability),
        notBefore,
        expires,
        clientId,
        threadId,
        runId);
  }

  /** What a port's pass says that goes back to a token with these claims. */
  TokenClaims ofPass(long passNotBefore, long passExpires) {
    return new TokenClaims(
        sandboxId,
        generation,
        epoch,
        subject,
        sessionId,
        Set.of(Capability.PORT),
        passNotBefore,
        passExpires,
        clientId,
        null,
        null);
  }

  /**
   * Claims without the key, thread and run.
   *
   * @param sandboxId the sandbox's id
   * @param generation incarnation
   * @param epoch of revocation
   * @param subject who acts
   * @param sessionId null if none
   * @param capabilities granted
   * @param notBefore seconds since 1970
   * @param expires seconds since 1970
   */
  public TokenClaims(
      SandboxId sandboxId,
      int generation,
      long epoch,
      String subject,
      @Nullable String sessionId,
      Set<Capability> capabilities,
      long notBefore,
      long expires) {
    this(
        sandboxId,
        generation,
        epoch,
        subject,
        sessionId,
        capabilities,
        notBefore,
        expires,
        null,
        null,
        null);
  }

  /**
   * Whether the token counts for the sandbox as it is now.
   *
   * @param presentGeneration of the sandbox
   * @param minEpoch tokens below it are revoked
   * @return true if of this generation and not revoked
   */
  public boolean countsFor(int presentGeneration, long minEpoch) {
    return generation == presentGeneration && epoch >= minEpoch;
  }
}
