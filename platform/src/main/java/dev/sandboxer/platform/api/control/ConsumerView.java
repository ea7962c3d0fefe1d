package dev.sandboxer.platform.api.control;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.sandboxer.platform.sandbox.Consumer;
import java.util.LinkedHashMap;
import java.util.Map;
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
    @Nullable String runId,
    @Schema(description = "What the work belongs to in a State Hub") @Nullable String topicId,
    @Nullable String workstreamId,
    @Nullable String taskId,
    @Nullable String decisionId) {

  static ConsumerView of(Consumer consumer) {
    return new ConsumerView(
        consumer.actor(),
        consumer.project(),
        consumer.sessionId(),
        consumer.runId(),
        consumer.work().get("topic_id"),
        consumer.work().get("workstream_id"),
        consumer.work().get("task_id"),
        consumer.work().get("decision_id"));
  }

  Map<String, String> work() {
    Map<String, String> work = new LinkedHashMap<>();
    put(work, "topic_id", topicId);
    put(work, "workstream_id", workstreamId);
    put(work, "task_id", taskId);
    put(work, "decision_id", decisionId);
    return work;
  }

  private static void put(Map<String, String> work, String name, @Nullable String value) {
    if (value != null) {
      work.put(name, value);
    }
  }
}
