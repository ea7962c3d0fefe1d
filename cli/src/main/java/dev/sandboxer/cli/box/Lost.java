package dev.sandboxer.cli.box;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;

/** What a box has lost because it was made again, as a person reads it. */
final class Lost {
  private Lost() {}

  /** Empty if the reply reports no loss. */
  static List<String> lines(JsonNode reply) {
    JsonNode lost = reply.path("lost");
    if (!lost.isObject()) {
      return List.of();
    }
    List<String> lines = new ArrayList<>();
    lines.add(
        "lost with %s: %s".formatted(lost.path("sandbox_id").asText(), lost.path("what").asText()));
    if (!lost.path("differences").isEmpty()) {
      lines.addAll(Differences.lines(lost.path("differences")));
    }
    return lines;
  }
}
