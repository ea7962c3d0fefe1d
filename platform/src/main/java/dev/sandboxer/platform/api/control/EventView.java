package dev.sandboxer.platform.api.control;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.sandboxer.platform.event.Event;
import java.time.Instant;
import java.util.Map;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** An event as callers see it. */
@Schema(name = "Event")
record EventView(
    @Schema(description = "The same in every delivery", examples = "evt_d1f4k3v9a0q7x2m5n8b6")
        String id,
    Subject subject,
    @Schema(description = "Number within the subject, without a hole, from 1") long seq,
    @Schema(description = "Number within the installation; null for a moment after the event")
        @Nullable Long position,
    @Schema(examples = "sandbox.ready") String type,
    Instant occurredAt,
    Map<String, Object> consumer,
    @Nullable String actorType,
    @Nullable String state,
    Map<String, Object> detail) {

  static EventView of(Event event) {
    return new EventView(
        event.id(),
        new Subject(event.sandboxId(), event.sandboxId() == null ? event.tenantId() : null),
        event.seq(),
        event.position(),
        event.type(),
        event.occurredAt(),
        event.consumer(),
        event.actorType(),
        event.state(),
        event.detail());
  }

  @Schema(name = "EventSubject")
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record Subject(@Nullable String sandboxId, @Nullable String tenant) {}
}
