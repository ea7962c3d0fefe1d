package dev.sandboxer.cli.box;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.cli.terminal.Palette;
import dev.sandboxer.cli.terminal.Table;
import java.util.List;

/** In what a box differs from a request, as a person reads it. */
final class Differences {
  private Differences() {}

  /** A table, a line a field. */
  static List<String> lines(JsonNode differences) {
    Table table = new Table("FIELD", "BOX", "REQUEST");
    for (JsonNode one : differences) {
      table.add(
          one.path("field").asText(), one.path("box").asText("-"), one.path("request").asText("-"));
    }
    return table.lines(Palette.PLAIN);
  }
}
