package dev.sandboxer.cli.box;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.cli.terminal.Spans;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** A box as a person reads it. */
final class BoxFacts {
  private static final int NAMES = 13;

  private BoxFacts() {}

  static String[] row(JsonNode box, Instant now) {
    return new String[] {
      BoxPath.id(box),
      box.path("scope").asText(),
      box.path("state").asText(),
      box.path("profile_id").asText(),
      box.path("sandbox_id").asText(),
      idle(box),
      Spans.since(box.path("used_at").asText(), now)
    };
  }

  /** For example `5 min`, or `persistent`. */
  private static String idle(JsonNode box) {
    return box.path("persistent").asBoolean()
        ? "persistent"
        : Spans.of(Duration.ofSeconds(box.path("idle_seconds").asInt()));
  }

  static List<String> lines(JsonNode box, Instant now) {
    List<String> lines = new ArrayList<>();
    add(lines, "id", BoxPath.id(box));
    add(lines, "scope", box.path("scope").asText());
    add(lines, "state", box.path("state").asText());
    add(lines, "sandbox", box.path("sandbox_id").asText());
    add(lines, "sandboxes", box.path("sandboxes").asText());
    add(
        lines,
        "profile",
        "%s, version %s"
            .formatted(box.path("profile_id").asText(), box.path("profile_version").asText()));
    add(lines, "backend", box.path("extension_id").asText());
    add(lines, "inputs", pairs(box.path("inputs")));
    add(lines, "idle", idle(box));
    add(lines, "created", ago(box.path("created_at"), now));
    add(lines, "used", ago(box.path("used_at"), now));
    return lines;
  }

  private static void add(List<String> lines, String name, String value) {
    lines.add(name + " ".repeat(NAMES - name.length()) + value);
  }

  private static String ago(JsonNode at, Instant now) {
    String span = Spans.since(at.asText(), now);
    return span.equals("-") ? at.asText("-") : span + " ago";
  }

  private static String pairs(JsonNode values) {
    String text =
        values.properties().stream()
            .map(one -> one.getKey() + "=" + one.getValue().asText())
            .collect(Collectors.joining(" "));
    return text.isEmpty() ? "-" : text;
  }
}
