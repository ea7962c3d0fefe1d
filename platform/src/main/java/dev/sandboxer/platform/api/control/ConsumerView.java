package dev.sandboxer.platform.api.control;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.sandboxer.platform.api.Body;
import dev.sandboxer.platform.sandbox.Consumer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** Who asks, or asked, for a sandbox. */
@Schema(name = "Consumer")
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ConsumerView(
    @Schema(
            description = "adm: a person, agt: an agent, atm: an automation",
            enumeration = {"adm", "agt", "atm"})
        String actor,
    @Schema(description = "who acts, by an id of the caller's", examples = "usr_1")
        @Nullable String actorId,
    @Schema(examples = "demo") String project,
    @Nullable String sessionId,
    @Nullable String runId,
    @Schema(description = "What the work belongs to in a State Hub") @Nullable String topicId,
    @Nullable String workstreamId,
    @Nullable String taskId,
    @Nullable String decisionId) {

  static final Pattern ACTOR = Pattern.compile("adm|agt|atm");
  private static final Pattern NAME = Pattern.compile("[^\\p{Cntrl}]{1,128}");
  private static final String NAME_WANTED = "1 to 128 characters without control characters";

  /**
   * Reads the member {@code consumer} of a request.
   *
   * @param body of the member
   * @return checked
   */
  public static ConsumerView read(Body body) {
    body.only(
        "actor",
        "actor_id",
        "project",
        "session_id",
        "run_id",
        "topic_id",
        "workstream_id",
        "task_id",
        "decision_id");
    return new ConsumerView(
        body.text("actor", ACTOR, "adm (a person), agt (an agent) or atm (an automation)"),
        optional(body, "actor_id"),
        body.text("project", NAME, NAME_WANTED),
        optional(body, "session_id"),
        optional(body, "run_id"),
        optional(body, "topic_id"),
        optional(body, "workstream_id"),
        optional(body, "task_id"),
        optional(body, "decision_id"));
  }

  private static @Nullable String optional(Body body, String name) {
    return body.optionalText(name, NAME, NAME_WANTED).orElse(null);
  }

  /**
   * The same for services.
   *
   * @return who asks
   */
  public Consumer asConsumer() {
    return new Consumer(actor, project, sessionId, runId, work());
  }

  static ConsumerView of(Consumer consumer) {
    return new ConsumerView(
        consumer.actor(),
        consumer.work().get(Consumer.ACTOR_ID),
        consumer.project(),
        consumer.sessionId(),
        consumer.runId(),
        consumer.work().get("topic_id"),
        consumer.work().get("workstream_id"),
        consumer.work().get("task_id"),
        consumer.work().get("decision_id"));
  }

  private Map<String, String> work() {
    Map<String, String> work = new LinkedHashMap<>();
    put(work, Consumer.ACTOR_ID, actorId);
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
