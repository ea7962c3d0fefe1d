package dev.sandboxer.spi;

import java.util.Optional;
import java.util.OptionalInt;

/**
 * What to make. The platform and tests start with {@link #of} and use the {@code with} methods.
 *
 * @param identity stands, signed, on everything that is made
 * @param spec the resolved profile
 * @param host where to make it
 * @param daemon what of boxd to place, unless the extension declares {@link BoxdPlacement#NONE}
 * @param uid the host's user id that is this sandbox's alone until it was seen clean; there exactly
 *     where the descriptor has {@link ExtensionDescriptor#uidLease()}
 * @param snapshot the state to start from, empty for a new one. An extension without {@link
 *     Snapshotting} refuses it; one with it starts from this state or fails, and refuses a snapshot
 *     that is gone with {@link ErrorCode#VALIDATION}
 */
public record ProvisionRequest(
    SandboxIdentity identity,
    SandboxSpec spec,
    HostRef host,
    Daemon daemon,
    OptionalInt uid,
    Optional<Snapshotting.Snapshot> snapshot) {

  /** Checks the values. */
  @ForPlatform
  public ProvisionRequest {
    if (uid.isPresent() && uid.getAsInt() < 1) {
      throw new IllegalArgumentException("uid " + uid.getAsInt() + " must not be root's");
    }
  }

  /**
   * A request without a leased user id and for a new state.
   *
   * @param identity of what is made
   * @param spec the resolved profile
   * @param host where to make it
   * @param daemon what of boxd to place
   * @return the request
   */
  public static ProvisionRequest of(
      SandboxIdentity identity, SandboxSpec spec, HostRef host, Daemon daemon) {
    return new ProvisionRequest(
        identity, spec, host, daemon, OptionalInt.empty(), Optional.empty());
  }

  /**
   * The same with a leased user id.
   *
   * @param leased above 0
   * @return a copy
   */
  public ProvisionRequest withUid(int leased) {
    return new ProvisionRequest(identity, spec, host, daemon, OptionalInt.of(leased), snapshot);
  }

  /**
   * The same on another host.
   *
   * @param other where to make it
   * @return a copy
   */
  public ProvisionRequest withHost(HostRef other) {
    return new ProvisionRequest(identity, spec, other, daemon, uid, snapshot);
  }

  /**
   * The same, started from a kept state.
   *
   * @param state as {@link Snapshotting#snapshot} returned it
   * @return a copy
   */
  public ProvisionRequest withSnapshot(Snapshotting.Snapshot state) {
    return new ProvisionRequest(identity, spec, host, daemon, uid, Optional.of(state));
  }
}
