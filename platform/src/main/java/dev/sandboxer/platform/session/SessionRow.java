package dev.sandboxer.platform.session;

import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.sandbox.Desired;
import dev.sandboxer.platform.sandbox.SandboxState;
import dev.sandboxer.platform.token.Capability;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A session with what matters of its sandbox, read at one instant.
 *
 * @param id {@code ssn_...}
 * @param tenantId owner
 * @param scope what is bound
 * @param userId who made it
 * @param threadId the thread that it was made for, null if none or if that has ended
 * @param runId the run that it was made for, null if none or if that has ended
 * @param heartbeat whether the lease of heartbeats holds
 * @param createdSandbox whether the sandbox was made for it
 * @param leaseUntil end of the lease
 * @param endedAt null while it lives
 * @param endReason null while it lives
 * @param createdAt instant it was made
 * @param idle how long it may be unused
 * @param inputs of the profile as JSON, null for none
 * @param sandbox what it is bound to
 * @param minEpoch tokens below it are revoked
 * @param readAt the database's time
 */
public record SessionRow(
    String id,
    String tenantId,
    Scope scope,
    String userId,
    @Nullable String threadId,
    @Nullable String runId,
    boolean heartbeat,
    boolean createdSandbox,
    Instant leaseUntil,
    @Nullable Instant endedAt,
    @Nullable String endReason,
    Instant createdAt,
    Duration idle,
    @Nullable String inputs,
    Bound sandbox,
    long minEpoch,
    Instant readAt) {

  /**
   * The sandbox of a session.
   *
   * @param id of the sandbox
   * @param state what is
   * @param desired what is wanted
   * @param generation incarnation
   * @param profileId such as {@code profile.local}
   * @param profileVersion version of the profile
   * @param extensionId backend
   * @param capabilities that tokens may have at most
   * @param dataplane whether boxd answers in it
   * @param failureCode null unless it failed
   * @param failureMessage null unless it failed
   * @param lastUsedAt last use of its dataplane, null before the first
   * @param readyAt null before it was
   * @param hardExpiresAt the end that nothing moves
   * @param abandoned whether the node that was making it is gone and another would have to
   */
  public record Bound(
      SandboxId id,
      SandboxState state,
      Desired desired,
      int generation,
      String profileId,
      int profileVersion,
      String extensionId,
      Set<Capability> capabilities,
      boolean dataplane,
      @Nullable String failureCode,
      @Nullable String failureMessage,
      @Nullable Instant lastUsedAt,
      @Nullable Instant readyAt,
      @Nullable Instant hardExpiresAt,
      boolean abandoned) {

    /** Keeps an immutable copy. */
    public Bound {
      capabilities = Set.copyOf(capabilities);
    }

    /**
     * The id as callers see it.
     *
     * @return {@code sb_<id>}
     */
    public String publicId() {
      return id.publicId();
    }

    /** Whether it will never serve again. */
    boolean dead() {
      return state.ended() || state == SandboxState.FAILED || desired == Desired.GONE || abandoned;
    }
  }

  boolean live() {
    return endedAt == null && !sandbox.dead();
  }

  /**
   * What callers see, derived from session and sandbox.
   *
   * @return the phase
   */
  public Phase phase() {
    return Phase.of(this);
  }

  /**
   * Seconds until the idle limit ends it, counted from its last use.
   *
   * @return in whole seconds
   */
  public long idleSeconds() {
    return idle.toSeconds();
  }

  /** When its dataplane was last used, or it became ready. */
  Optional<Instant> lastUse() {
    return Optional.ofNullable(sandbox.lastUsedAt())
        .or(() -> Optional.ofNullable(sandbox.readyAt()));
  }
}
