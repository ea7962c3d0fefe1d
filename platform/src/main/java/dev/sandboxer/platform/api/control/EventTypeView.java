package dev.sandboxer.platform.api.control;

import dev.sandboxer.platform.event.EventType;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** A type of event as callers see it. */
@Schema(name = "EventType")
record EventTypeView(
    @Schema(examples = "sandbox.ready") String type,
    @Schema(enumeration = {"milestone", "note"}) String kind,
    @Schema(description = "When it comes") String description,
    @Schema(description = "What its detail says where it is known") List<FieldView> detail) {

  @Schema(name = "EventDetailField")
  record FieldView(
      String name,
      String description,
      @Schema(description = "True if events of every type have it") boolean common) {}

  static EventTypeView of(EventType type) {
    List<FieldView> detail = new ArrayList<>();
    type.fields().forEach(field -> detail.add(view(field, false)));
    EventType.COMMON.forEach(field -> detail.add(view(field, true)));
    return new EventTypeView(type.text(), type.kind().text(), type.description(), detail);
  }

  private static FieldView view(EventType.Field field, boolean common) {
    return new FieldView(field.name(), field.description(), common);
  }
}
