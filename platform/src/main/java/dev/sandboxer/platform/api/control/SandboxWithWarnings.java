package dev.sandboxer.platform.api.control;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.util.List;
import java.util.OptionalLong;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** A sandbox, and what its sender may not expect. */
@Schema(name = "SandboxWithWarnings")
record SandboxWithWarnings(
    @JsonUnwrapped SandboxView sandbox,
    @Schema(description = "what is not as was requested, absent if all is")
        @JsonInclude(JsonInclude.Include.NON_EMPTY)
        List<String> warnings) {

  static SandboxWithWarnings extended(SandboxView sandbox, long seconds, OptionalLong idleSeconds) {
    boolean idlesEarlier = idleSeconds.isPresent() && idleSeconds.getAsLong() < seconds;
    return new SandboxWithWarnings(
        sandbox,
        idlesEarlier
            ? List.of(
                "it ends earlier when nobody uses it for %d s, the idle time of its profile"
                    .formatted(idleSeconds.getAsLong()))
            : List.of());
  }
}
