package dev.sandboxer.platform.provisioning;

import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.sandbox.ExtensionId;
import dev.sandboxer.spi.HostRef;
import dev.sandboxer.spi.SandboxHandle;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * One try to establish one generation of a sandbox on one candidate.
 *
 * @param id of the attempt
 * @param sandboxId its sandbox
 * @param generation of the sandbox
 * @param number within the generation
 * @param extension backend
 * @param candidate which one of its plan, from 0
 * @param host where
 * @param uid the host's user id that is this attempt's alone, empty where its extension takes none
 * @param claimToken of the worker that began it
 * @param phase how far it came
 * @param handle null until {@code provision} returned it
 * @param cleanupToken fencing token of its clean-up
 * @param cleanupTries how often its clean-up was tried
 * @param abandoned whether a call of it was given up or cut off, so that it may have made, or make,
 *     more than the handle names
 * @param lateEffects whether such a call may still take effect
 * @param layer what its profile's setup has made, or makes here; null if there is none, or that is
 *     not decided yet
 * @param makesLayer whether it is there to run that setup
 * @param traceParent span that asked for what the sandbox is doing, null if nothing was traced
 */
record Attempt(
    String id,
    SandboxId sandboxId,
    int generation,
    int number,
    ExtensionId extension,
    int candidate,
    HostRef host,
    OptionalInt uid,
    long claimToken,
    Phase phase,
    @Nullable SandboxHandle handle,
    long cleanupToken,
    int cleanupTries,
    boolean abandoned,
    boolean lateEffects,
    @Nullable String layer,
    boolean makesLayer,
    @Nullable String traceParent) {

  /** The same with an abandoned call, which may still take effect or not. */
  Attempt withAbandoned(boolean possible) {
    return new Attempt(
        id,
        sandboxId,
        generation,
        number,
        extension,
        candidate,
        host,
        uid,
        claimToken,
        phase,
        handle,
        cleanupToken,
        cleanupTries,
        true,
        possible,
        layer,
        makesLayer,
        traceParent);
  }

  /** How far an attempt came. */
  enum Phase {
    PROVISIONING,
    PROVISIONED,
    READY,
    FAILED,
    ENDED
  }
}
