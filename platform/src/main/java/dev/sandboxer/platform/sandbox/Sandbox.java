package dev.sandboxer.platform.sandbox;

import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.spi.SandboxSpec;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A sandbox's row, as it was read. It is never written back: see {@link Change}.
 *
 * @param id the sandbox's id
 * @param tenantId owner
 * @param principalId the key that asked
 * @param profile which version of which profile
 * @param candidates backends that the profile allows, in its order
 * @param routing how it is to be routed, as JSON; null in a row of an earlier release
 * @param extensionId backend chosen so far; the attempt has the one that counts
 * @param hostId host chosen so far, null before the first attempt
 * @param spec resolved profile
 * @param consumer who asked
 * @param labels of the request
 * @param envNames names of the environment; values are sealed
 * @param envSealed the sealed environment, null if there is none
 * @param capabilities that tokens may have at most, by name, null for all
 * @param state what is
 * @param desired what is wanted
 * @param generation incarnation
 * @param attemptId current attempt, null before the first
 * @param claimToken fencing token of the worker
 * @param ttlSeconds time to live after ready
 * @param expiresAt TTL's end, null until ready
 * @param hardExpiresAt end that nothing moves
 * @param descriptors public facts of the backend
 * @param conditions beside the state
 * @param failure why it failed, null if it did not
 * @param endReason why it ended, null while it has not
 * @param cleanup removal of what it made, null while it lives
 * @param eventSeq number of its newest event
 * @param createdAt instant of the create
 * @param readyAt instant of the last ready, null before
 * @param activeAt instant of first use, null before
 * @param endedAt instant of its end as a live sandbox, null before
 * @param destroyedAt instant the backend was seen clean, null before
 * @param traceParent span that asked for this generation or for its end, null if nothing was traced
 */
@SuppressWarnings("ArrayRecordComponent") // a row as read, never compared
public record Sandbox(
    SandboxId id,
    String tenantId,
    @Nullable String principalId,
    ProfileRef profile,
    List<ExtensionId> candidates,
    @Nullable String routing,
    ExtensionId extensionId,
    @Nullable String hostId,
    SandboxSpec spec,
    Consumer consumer,
    Map<String, String> labels,
    List<String> envNames,
    byte @Nullable [] envSealed,
    @Nullable List<String> capabilities,
    SandboxState state,
    Desired desired,
    int generation,
    @Nullable String attemptId,
    long claimToken,
    long ttlSeconds,
    @Nullable Instant expiresAt,
    @Nullable Instant hardExpiresAt,
    Map<String, String> descriptors,
    List<Condition> conditions,
    @Nullable Failure failure,
    @Nullable String endReason,
    @Nullable String cleanup,
    long eventSeq,
    Instant createdAt,
    @Nullable Instant readyAt,
    @Nullable Instant activeAt,
    @Nullable Instant endedAt,
    @Nullable Instant destroyedAt,
    @Nullable String traceParent) {

  /**
   * The id as callers see it.
   *
   * @return {@code sb_<id>}
   */
  public String publicId() {
    return id.publicId();
  }

  /**
   * Whether it was suspended and is to run again.
   *
   * @return false once it runs, and where it stays suspended
   */
  public boolean resuming() {
    return state == SandboxState.RESUMING || (state.asleep() && desired == Desired.RUNNING);
  }
}
