package dev.sandboxer.platform.api.control;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** A sandbox whose TTL was moved. */
@Schema(name = "ExtendedSandbox")
record ExtendedView(
    @JsonUnwrapped SandboxView sandbox,
    @Schema(description = "what ends it earlier than was requested") List<String> warnings) {

  static ExtendedView of(SandboxView sandbox, long seconds, OptionalLong idleSeconds) {
    List<String> warnings = new ArrayList<>();
    idleSeconds.ifPresent(
        idle -> {
          if (idle < seconds) {
            warnings.add(
                "it ends earlier when nobody uses it for %d s, the idle time of its profile"
                    .formatted(idle));
          }
        });
    return new ExtendedView(sandbox, List.copyOf(warnings));
  }
}
