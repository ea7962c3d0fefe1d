package dev.sandboxer.platform.api.control;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.sandboxer.platform.sandbox.Condition;
import dev.sandboxer.platform.sandbox.Sandbox;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** A sandbox as callers see it. */
@Schema(name = "Sandbox")
record SandboxView(
    @Schema(examples = "sb_k3v9a0q7x2m5n8b1c4d6") String id,
    @Schema(description = "owner", examples = "ten_k3v9a0q7x2m5n8b1c4d6") String tenantId,
    @Schema(examples = "ready") String state,
    @Schema(examples = "running") String desired,
    int generation,
    @Schema(examples = "profile.local") String profileId,
    int profileVersion,
    @Schema(examples = "ext.nsjail") String extensionId,
    @Nullable String host,
    ConsumerView consumer,
    Map<String, String> labels,
    List<String> envNames,
    @Schema(description = "what is mounted, absent if nothing is")
        @JsonInclude(JsonInclude.Include.NON_EMPTY)
        List<MountView> mounts,
    Map<String, String> reachability,
    List<Condition> conditions,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable FailureView failure,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String endReason,
    @Nullable String cleanup,
    @Nullable String cost,
    Instant createdAt,
    @Nullable Instant readyAt,
    @Nullable Instant activeAt,
    @Nullable Instant expiresAt,
    @Nullable Instant endedAt,
    @Nullable Instant destroyedAt,
    @Schema(description = "with ?include=access, while it can be reached")
        @JsonInclude(JsonInclude.Include.NON_NULL)
        @Nullable AccessView access) {

  static SandboxView of(Sandbox sandbox, List<MountView> mounts, @Nullable AccessView access) {
    return new SandboxView(
        sandbox.publicId(),
        sandbox.tenantId(),
        sandbox.state().text(),
        sandbox.desired().text(),
        sandbox.generation(),
        sandbox.profile().id(),
        sandbox.profile().version(),
        sandbox.extensionId().text(),
        sandbox.hostId(),
        ConsumerView.of(sandbox.consumer()),
        sandbox.labels(),
        sandbox.envNames(),
        mounts,
        sandbox.descriptors(),
        sandbox.conditions(),
        FailureView.orNull(sandbox.failure()),
        sandbox.endReason(),
        sandbox.cleanup(),
        null,
        sandbox.createdAt(),
        sandbox.readyAt(),
        sandbox.activeAt(),
        sandbox.expiresAt(),
        sandbox.endedAt(),
        sandbox.destroyedAt(),
        access);
  }
}
