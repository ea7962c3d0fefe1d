package dev.sandboxer.platform.api.sweep;

import com.fasterxml.jackson.annotation.JsonRawValue;
import dev.sandboxer.platform.provisioning.OpenCleanups;
import java.time.Instant;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** What an attempt left and nobody has seen gone yet, as callers see it. */
@Schema(name = "Cleanup")
record CleanupView(
    @Schema(description = "names it in a forget") String attemptId,
    String sandboxId,
    int generation,
    int attempt,
    String extension,
    String host,
    @Nullable Instant since,
    @Schema(description = "since then") long ageSeconds,
    int tries,
    @Schema(description = "tries that found something that they could not remove") int failures,
    @Nullable Instant nextTryAt,
    @Schema(description = "of the last try, null before", implementation = Object.class)
        @JsonRawValue
        @Nullable String report) {

  static CleanupView of(OpenCleanups.Cleanup cleanup) {
    return new CleanupView(
        cleanup.attemptId(),
        cleanup.sandboxId().publicId(),
        cleanup.generation(),
        cleanup.attempt(),
        cleanup.extension(),
        cleanup.host(),
        cleanup.since(),
        cleanup.age().toSeconds(),
        cleanup.tries(),
        cleanup.failures(),
        cleanup.nextTryAt(),
        cleanup.report());
  }
}
