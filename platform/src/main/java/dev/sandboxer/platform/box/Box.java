package dev.sandboxer.platform.box;

import dev.sandboxer.platform.id.RowPosition;
import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.sandbox.Desired;
import dev.sandboxer.platform.sandbox.SandboxState;
import dev.sandboxer.spi.Mount;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A box with what matters of its sandbox, read at one instant.
 *
 * @param id {@code box_...}
 * @param tenantId owner
 * @param scope of the box
 * @param spec what it is made of
 * @param envSealed its environment, null if there is none
 * @param made how many sandboxes it has had
 * @param sandbox the present or last one
 * @param usedAt last ensure, command or use of the dataplane
 * @param createdAt instant it was made first
 * @param sinceKept how long ago its own record of use was written
 */
@SuppressWarnings("ArrayRecordComponent") // a row as read, never compared
public record Box(
    String id,
    String tenantId,
    BoxScope scope,
    BoxSpec spec,
    byte @Nullable [] envSealed,
    int made,
    Bound sandbox,
    Instant usedAt,
    Instant createdAt,
    Duration sinceKept) {

  /**
   * The sandbox of a box.
   *
   * @param id of the sandbox
   * @param state what is
   * @param desired what is wanted
   * @param generation incarnation
   * @param profileId such as {@code profile.local}
   * @param profileVersion version of the profile
   * @param extensionId backend
   */
  public record Bound(
      SandboxId id,
      SandboxState state,
      Desired desired,
      int generation,
      String profileId,
      int profileVersion,
      String extensionId) {}

  /**
   * Whether its sandbox serves, or will; else the box is made again on next use.
   *
   * @return false if the sandbox has ended, failed or is being deleted
   */
  public boolean living() {
    return !sandbox.state().ended()
        && sandbox.state() != SandboxState.FAILED
        && sandbox.desired() != Desired.GONE;
  }

  /** The same with other mounts beside the profile's. */
  Box mounting(List<Mount> mounts) {
    return new Box(
        id,
        tenantId,
        scope,
        spec.mounting(mounts),
        envSealed,
        made,
        sandbox,
        usedAt,
        createdAt,
        sinceKept);
  }

  /**
   * Its place in lists.
   *
   * @return newest first
   */
  public RowPosition position() {
    return new RowPosition(createdAt, id);
  }
}
