package dev.sandboxer.platform.event;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.platform.id.Ids;
import dev.sandboxer.platform.sandbox.Consumer;
import dev.sandboxer.platform.sandbox.Sandbox;
import dev.sandboxer.platform.sandbox.Transition;
import dev.sandboxer.platform.sandbox.TransitionListener;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** Writes each transition as an event, numbered under the sandbox's row lock. */
@ApplicationScoped
class EventLog implements TransitionListener {

  private static final String INSERT =
      """
      insert into event (id, subject, seq, tenant_id, sandbox_id, type, consumer, actor_type, state,
        detail)
      values (:id, :subject, :seq, :tenant, :sandbox, :type, cast(:consumer as jsonb), :actor,
        :state, cast(:detail as jsonb))
      """;

  private final Ids ids;
  private final ObjectMapper json;

  EventLog(Ids ids, ObjectMapper json) {
    this.ids = ids;
    this.json = json;
  }

  @Override
  public void changed(Handle transaction, Transition transition) {
    Sandbox sandbox = transition.sandbox();
    transaction
        .createUpdate(INSERT)
        .bind("id", ids.make("evt"))
        .bind("subject", sandbox.publicId())
        .bind("seq", sandbox.eventSeq())
        .bind("tenant", sandbox.tenantId())
        .bind("sandbox", sandbox.id())
        .bind("type", transition.type())
        .bind("consumer", text(consumer(sandbox.consumer())))
        .bind("actor", sandbox.consumer().actor())
        .bind("state", sandbox.state().text())
        .bind("detail", text(detail(transition)))
        .execute();
  }

  private static Map<String, Object> detail(Transition transition) {
    Sandbox sandbox = transition.sandbox();
    Map<String, Object> detail = new LinkedHashMap<>(transition.detail());
    detail.put("profile_id", sandbox.profileId());
    detail.put("extension_id", sandbox.extensionId());
    detail.put("generation", sandbox.generation());
    putIfKnown(detail, "host", sandbox.hostId());
    return detail;
  }

  private static Map<String, Object> consumer(Consumer consumer) {
    Map<String, Object> values = new LinkedHashMap<>();
    values.put("actor", consumer.actor());
    values.put("project", consumer.project());
    putIfKnown(values, "session_id", consumer.sessionId());
    putIfKnown(values, "run_id", consumer.runId());
    return values;
  }

  private static void putIfKnown(Map<String, Object> values, String name, @Nullable String value) {
    if (value != null) {
      values.put(name, value);
    }
  }

  private String text(Object value) {
    try {
      return json.writeValueAsString(value);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("an event's detail could not be written as JSON", e);
    }
  }
}
