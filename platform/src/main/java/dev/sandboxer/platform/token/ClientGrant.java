package dev.sandboxer.platform.token;

import dev.sandboxer.platform.id.SandboxId;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a client token is to say.
 *
 * @param sandboxId the sandbox's id
 * @param generation incarnation of the sandbox
 * @param epoch of revocation, at least the minimum that holds now
 * @param subject who acts
 * @param actor on whose delegation, null if none
 * @param clientId the API key that asked, by id
 * @param sessionId the session, null if none
 * @param capabilities granted, never {@link Capability#ADMIN}
 * @param threadId the thread that it is for, null if none
 * @param runId the run that it is for, null if none
 */
public record ClientGrant(
    SandboxId sandboxId,
    int generation,
    long epoch,
    String subject,
    @Nullable String actor,
    String clientId,
    @Nullable String sessionId,
    Set<Capability> capabilities,
    @Nullable String threadId,
    @Nullable String runId) {

  /** Checks the values and keeps a copy. */
  public ClientGrant {
    capabilities = Set.copyOf(capabilities);
    if (capabilities.contains(Capability.ADMIN)) {
      throw new IllegalArgumentException("admin is never granted to a client");
    }
    if (generation < 1 || epoch < 0) {
      throw new IllegalArgumentException(
          "generation " + generation + " must be at least 1, epoch " + epoch + " at least 0");
    }
  }

  /**
   * A grant for no thread or run.
   *
   * @param sandboxId the sandbox's id
   * @param generation incarnation of the sandbox
   * @param epoch of revocation
   * @param subject who acts
   * @param actor on whose delegation, null if none
   * @param clientId the API key that asked
   * @param sessionId the session, null if none
   * @param capabilities granted
   */
  public ClientGrant(
      SandboxId sandboxId,
      int generation,
      long epoch,
      String subject,
      @Nullable String actor,
      String clientId,
      @Nullable String sessionId,
      Set<Capability> capabilities) {
    this(
        sandboxId,
        generation,
        epoch,
        subject,
        actor,
        clientId,
        sessionId,
        capabilities,
        null,
        null);
  }

  /** What a token with this grant says to who checks it. */
  TokenClaims claims(long notBefore, long expires) {
    return new TokenClaims(
        sandboxId,
        generation,
        epoch,
        subject,
        sessionId,
        capabilities,
        notBefore,
        expires,
        clientId,
        threadId,
        runId);
  }
}
