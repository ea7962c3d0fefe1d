package dev.sandboxer.cli.help;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;

/** Every type of event, as the platform tells them. */
final class EventReference {
  private static final String RESERVED = "Reserved: ";

  private static final List<List<String>> ENVELOPE =
      List.of(
          List.of("`id`", "the same in every delivery of the event"),
          List.of(
              "`subject`",
              "what it is about: `sandbox_id`, or `tenant` where it is about no sandbox"),
          List.of("`seq`", "number within the subject, from 1, without a hole"),
          List.of(
              "`position`", "number within the installation; null for a moment after the event"),
          List.of("`type`", "one of those above"),
          List.of("`occurred_at`", "when it happened"),
          List.of(
              "`consumer`", "who asked for it: `actor`, `project`, and what else the request said"),
          List.of("`actor_type`", "`actor` of the consumer, null where nobody said so"),
          List.of("`state`", "state of the sandbox after it, null where it is about no sandbox"),
          List.of("`detail`", "what follows here"));

  private static final List<List<String>> OTHERS =
      List.of(
          List.of(
              "`gap`",
              "a stream",
              "events after the given place are not there: their time is over, or the database was"
                  + " brought back from before them. The data is `{\"from\": 3, \"to\": 41}`, the id of"
                  + " the message where the stream goes on; lists have the same beside `items`"),
          List.of(
              "`webhook.test`",
              "a webhook",
              "somebody asked for a test delivery. The data is `{\"webhook_id\": \"whk_…\"}`"));

  private final JsonNode types;
  private final Markdown page = new Markdown();

  EventReference(JsonNode types) {
    this.types = types;
  }

  String page() {
    page.heading(1, "Events: reference")
        .paragraph(
            "Made by `./sandboxer reference --events > docs/reference/events.md` from the platform's"
                + " own `GET /v1/events/types`; a test compares it. [events.md](../events.md) says how"
                + " events are read and delivered.")
        .paragraph(
            "A milestone is what people who only follow the work want to know; a State Hub gets that"
                + " word as `event_type`.")
        .table(List.of("type", "kind", "when"), overview())
        .heading(2, "Every event")
        .paragraph(
            "Callers, streams and sinks get this object; a webhook gets it as `data` beside `type` and"
                + " `timestamp`.")
        .table(List.of("field", ""), ENVELOPE)
        .heading(2, "The detail of every event")
        .paragraph("Where it is known.")
        .table(List.of("field", ""), common());
    for (JsonNode type : types) {
      List<List<String>> own = fields(type, false);
      if (!own.isEmpty()) {
        page.heading(2, quoted(type, "type"))
            .paragraph(type.path("description").asText() + ".")
            .table(List.of("field", ""), own);
      }
    }
    page.heading(2, "What is no event")
        .paragraph("These come among events, and are in no log. No filter names them.")
        .table(List.of("name", "where", "when"), OTHERS);
    page.heading(2, "Reserved types")
        .paragraph("These names have their meaning, and do not come yet.")
        .table(List.of("type", "when"), reserved());
    return page.text();
  }

  private List<List<String>> overview() {
    List<List<String>> rows = new ArrayList<>();
    for (JsonNode type : types) {
      String when = type.path("description").asText();
      if (!when.startsWith(RESERVED)) {
        rows.add(List.of(quoted(type, "type"), type.path("kind").asText(), when));
      }
    }
    return rows;
  }

  private List<List<String>> reserved() {
    List<List<String>> rows = new ArrayList<>();
    for (JsonNode type : types) {
      String when = type.path("description").asText();
      if (when.startsWith(RESERVED)) {
        rows.add(List.of(quoted(type, "type"), when.substring(RESERVED.length())));
      }
    }
    return rows;
  }

  private List<List<String>> common() {
    return types.isEmpty() ? List.of() : fields(types.get(0), true);
  }

  private static List<List<String>> fields(JsonNode type, boolean common) {
    List<List<String>> rows = new ArrayList<>();
    for (JsonNode field : type.path("detail")) {
      if (field.path("common").asBoolean() == common) {
        rows.add(List.of(quoted(field, "name"), field.path("description").asText()));
      }
    }
    return rows;
  }

  private static String quoted(JsonNode node, String name) {
    return Markdown.quoted(node.path(name).asText());
  }
}
