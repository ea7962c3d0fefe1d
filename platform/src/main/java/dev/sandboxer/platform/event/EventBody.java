package dev.sandboxer.platform.event;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;
import java.util.Map;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** An event as everybody gets it: callers, listeners, sinks and webhooks. */
@Schema(name = "Event")
public record EventBody(
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

  /**
   * Shows an event.
   *
   * @param event as stored
   * @return its public shape
   */
  public static EventBody of(Event event) {
    return new EventBody(
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

  /** What it is about: one of the two. */
  @Schema(name = "EventSubject")
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Subject(
      @Schema(description = "The sandbox that it is about") @Nullable String sandboxId,
      @Schema(description = "The tenant, where it is about no sandbox, such as quota.refused")
          @Nullable String tenant) {}
}
