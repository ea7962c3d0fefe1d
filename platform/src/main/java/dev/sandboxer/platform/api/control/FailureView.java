package dev.sandboxer.platform.api.control;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.sandboxer.platform.sandbox.Failure;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** Why a sandbox failed, and what in its profile would change that. */
@Schema(name = "Failure")
record FailureView(
    @Schema(examples = "OOM") String code,
    String message,
    boolean retryable,
    @Schema(
            description = "the profile's keys that would change the outcome, where one would",
            examples = "resources.memory")
        @JsonInclude(JsonInclude.Include.NON_NULL)
        @Nullable String profileKey) {

  static FailureView of(Failure failure) {
    String key = ProfileKeys.of(failure.code(), failure.message()).orElse(null);
    boolean told = key == null || failure.message().contains(key);
    return new FailureView(
        failure.code(),
        told ? failure.message() : failure.message() + "; the profile's " + key + " decides this",
        failure.retryable(),
        key);
  }

  static @Nullable FailureView orNull(@Nullable Failure failure) {
    return failure == null ? null : of(failure);
  }
}
