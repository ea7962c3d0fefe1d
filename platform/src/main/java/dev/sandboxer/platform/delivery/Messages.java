package dev.sandboxer.platform.delivery;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.platform.event.Event;
import dev.sandboxer.platform.event.EventBody;
import dev.sandboxer.spi.sink.EventMessage;
import jakarta.enterprise.context.ApplicationScoped;

/** Makes of a stored event what sinks get. */
@ApplicationScoped
public class Messages {

  private final ObjectMapper json;

  Messages(ObjectMapper json) {
    this.json = json;
  }

  /**
   * Makes it.
   *
   * @param event as stored
   * @return with the whole event as JSON, as the API shows it
   */
  public EventMessage of(Event event) {
    Long position = event.position();
    return new EventMessage(
        event.id(),
        event.subject(),
        event.seq(),
        position == null ? 0 : position,
        event.type(),
        event.occurredAt(),
        event.tenantId(),
        event.consumer(),
        event.state(),
        event.detail(),
        text(event));
  }

  private String text(Event event) {
    try {
      return json.writeValueAsString(EventBody.of(event));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("event " + event.id() + " could not be written as JSON", e);
    }
  }
}
