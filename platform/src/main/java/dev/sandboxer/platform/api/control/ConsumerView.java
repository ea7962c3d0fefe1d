package dev.sandboxer.platform.api.control;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.sandboxer.platform.sandbox.Consumer;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** Who asked for a sandbox. */
@Schema(name = "Consumer")
@JsonInclude(JsonInclude.Include.NON_NULL)
record ConsumerView(
    @Schema(
            description = "adm: a person, agt: an agent, atm: an automation",
            enumeration = {"adm", "agt", "atm"})
        String actor,
    @Schema(examples = "demo") String project,
    @Nullable String sessionId,
    @Nullable String runId) {

  static ConsumerView of(Consumer consumer) {
    return new ConsumerView(
        consumer.actor(), consumer.project(), consumer.sessionId(), consumer.runId());
  }
}
