package dev.sandboxer.platform.api.volume;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.sandboxer.platform.volume.Volume;
import dev.sandboxer.platform.volume.VolumeHolds;
import dev.sandboxer.platform.volume.Volumes;
import java.time.Instant;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** A volume as callers see it. */
@Schema(name = "Volume")
record VolumeView(
    @Schema(examples = "data") String name,
    @Schema(
            description =
                "making: its backend makes it; failed: that did not work, delete it; removing: its"
                    + " backend removes it, which is tried until it is done",
            enumeration = {"making", "ready", "failed", "removing"})
        String state,
    @Schema(description = "its limit") long sizeBytes,
    @Schema(description = "what is taken of it, where one volume is looked at and its backend says")
        @JsonInclude(JsonInclude.Include.NON_NULL)
        @Nullable Long usedBytes,
    @Schema(description = "the backend that keeps it") String extensionId,
    @Schema(description = "where it is; its sandboxes are made there") String host,
    @Schema(description = "the sandboxes that have it, where one volume is looked at")
        @JsonInclude(JsonInclude.Include.NON_NULL)
        @Nullable List<HolderView> sandboxes,
    @Schema(description = "why it could not be made, or its last removal failed")
        @JsonInclude(JsonInclude.Include.NON_NULL)
        @Nullable FailureView failure,
    Instant createdAt) {

  /** A sandbox that has it. */
  @Schema(name = "VolumeHolder")
  record HolderView(
      @Schema(examples = "sb_k3q9x1") String sandboxId,
      String state,
      @Schema(enumeration = {"ro", "rw"}) String mode) {

    static HolderView of(VolumeHolds.Holder holder) {
      return new HolderView(holder.sandbox(), holder.state(), holder.writable() ? "rw" : "ro");
    }
  }

  /** What went wrong last. */
  @Schema(name = "VolumeFailure")
  record FailureView(String code, String message) {}

  static VolumeView of(Volume volume) {
    return of(volume, null, null);
  }

  static VolumeView of(Volumes.Shown shown) {
    return of(
        shown.volume(),
        shown.usedBytes().isPresent() ? shown.usedBytes().getAsLong() : null,
        shown.holders().stream().map(HolderView::of).toList());
  }

  private static VolumeView of(
      Volume volume, @Nullable Long used, @Nullable List<HolderView> sandboxes) {
    @Nullable String code = volume.failureCode();
    return new VolumeView(
        volume.name(),
        volume.state().text(),
        volume.sizeBytes(),
        used,
        volume.extension().text(),
        volume.host().id(),
        sandboxes,
        code == null ? null : new FailureView(code, String.valueOf(volume.failureMessage())),
        volume.createdAt());
  }
}
