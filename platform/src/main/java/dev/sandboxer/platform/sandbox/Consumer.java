package dev.sandboxer.platform.sandbox;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Who asked for a sandbox; stands on every event.
 *
 * @param actor {@code adm} a person, {@code agt} an agent, {@code atm} an automation
 * @param project calling repository or service
 * @param sessionId the caller's own session, null if none
 * @param runId the caller's own run, null if none
 * @param work what it belongs to elsewhere: {@code topic_id}, {@code workstream_id}, {@code
 *     task_id}, {@code decision_id}, and {@link #ACTOR_ID}, as far as the caller said
 */
public record Consumer(
    String actor,
    String project,
    @Nullable String sessionId,
    @Nullable String runId,
    Map<String, String> work) {

  /** Names who acts, in {@code work}. */
  public static final String ACTOR_ID = "actor_id";

  /** Keeps an immutable copy. */
  public Consumer {
    work = Map.copyOf(work);
  }
}
