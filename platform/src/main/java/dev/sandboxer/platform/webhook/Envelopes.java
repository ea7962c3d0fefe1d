package dev.sandboxer.platform.webhook;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.platform.delivery.Messages;
import dev.sandboxer.platform.event.Event;
import dev.sandboxer.platform.id.Ids;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Clock;
import java.time.Instant;

/** Makes the body that Standard Webhooks recommends: type, timestamp, data. */
@ApplicationScoped
class Envelopes {

  private final Messages messages;
  private final ObjectMapper json;
  private final Ids ids;
  private final Clock clock;

  Envelopes(Messages messages, ObjectMapper json, Ids ids, Clock clock) {
    this.messages = messages;
    this.json = json;
    this.ids = ids;
    this.clock = clock;
  }

  Message of(Event event) {
    String data = messages.of(event).json();
    return new Message(event.id(), event.type(), body(event.type(), event.occurredAt(), data));
  }

  /** A message that tells nothing but that messages arrive. */
  Message test(String webhookId) {
    String data = json.createObjectNode().put("webhook_id", webhookId).toString();
    return new Message(
        ids.make("evt"), "webhook.test", body("webhook.test", clock.instant(), data));
  }

  private String body(String type, Instant at, String data) {
    try {
      JsonNode tree = json.readTree(data);
      return json.createObjectNode()
          .put("type", type)
          .put("timestamp", at.toString())
          .set("data", tree)
          .toString();
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("an event's own JSON cannot be read", e);
    }
  }
}
