package dev.sandboxer.cli.volume;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.cli.terminal.Spans;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** A volume as a person reads it. */
final class VolumeFacts {
  private static final int NAMES = 11;

  private VolumeFacts() {}

  static String[] row(JsonNode volume, Instant now) {
    return new String[] {
      VolumePath.name(volume),
      volume.path("state").asText(),
      size(volume, "size_bytes"),
      volume.path("extension_id").asText(),
      volume.path("host").asText(),
      Spans.since(volume.path("created_at").asText(), now)
    };
  }

  private static String size(JsonNode volume, String field) {
    JsonNode bytes = volume.path(field);
    return bytes.isNumber() ? Spans.bytes(bytes.asLong()) : "-";
  }

  static List<String> lines(JsonNode volume, Instant now) {
    List<String> lines = new ArrayList<>();
    add(lines, "name", VolumePath.name(volume));
    add(lines, "state", volume.path("state").asText());
    add(lines, "size", size(volume, "size_bytes"));
    add(lines, "used", size(volume, "used_bytes"));
    add(lines, "backend", volume.path("extension_id").asText());
    add(lines, "host", volume.path("host").asText());
    add(lines, "created", volume.path("created_at").asText("-") + age(volume, now));
    for (JsonNode holder : volume.path("sandboxes")) {
      add(
          lines,
          "sandbox",
          "%s, %s, %s"
              .formatted(
                  holder.path("sandbox_id").asText(),
                  holder.path("mode").asText(),
                  holder.path("state").asText()));
    }
    JsonNode failure = volume.path("failure");
    if (failure.isObject()) {
      add(
          lines,
          "failure",
          failure.path("code").asText() + ": " + failure.path("message").asText());
    }
    return lines;
  }

  private static String age(JsonNode volume, Instant now) {
    String age = Spans.since(volume.path("created_at").asText(), now);
    return age.equals("-") ? "" : ", " + age + " ago";
  }

  private static void add(List<String> lines, String name, String value) {
    lines.add(name + " ".repeat(NAMES - name.length()) + value);
  }
}
