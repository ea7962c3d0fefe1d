package dev.sandboxer.platform.event;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.platform.id.Ids;
import dev.sandboxer.platform.sandbox.Sandbox;
import dev.sandboxer.platform.sandbox.Transition;
import dev.sandboxer.platform.sandbox.TransitionListener;
import jakarta.enterprise.context.ApplicationScoped;
import org.jdbi.v3.core.Handle;

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
  private final Sequencer sequencer;

  EventLog(Ids ids, ObjectMapper json, Sequencer sequencer) {
    this.ids = ids;
    this.json = json;
    this.sequencer = sequencer;
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
        .bind("consumer", text(EventDetail.consumer(sandbox.consumer())))
        .bind("actor", sandbox.consumer().actor())
        .bind("state", sandbox.state().text())
        .bind("detail", text(EventDetail.of(transition)))
        .execute();
    transaction.afterCommit(sequencer::committed);
  }

  private String text(Object value) {
    try {
      return json.writeValueAsString(value);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("an event's detail could not be written as JSON", e);
    }
  }
}
