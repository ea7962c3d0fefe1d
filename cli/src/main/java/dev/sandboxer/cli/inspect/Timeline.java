package dev.sandboxer.cli.inspect;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.cli.terminal.Spans;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * What happened to a sandbox, oldest first: its events, else the instants that its record holds.
 */
final class Timeline {
  private final List<Moment> moments = new ArrayList<>();

  private record Moment(Instant at, String what) {}

  Timeline(JsonNode sandbox, List<JsonNode> events) {
    for (JsonNode event : events) {
      add(event.path("occurred_at"), what(event));
    }
    if (moments.isEmpty()) {
      for (String name : new String[] {"created", "ready", "active", "ended", "destroyed"}) {
        add(sandbox.path(name + "_at"), name);
      }
      moments.sort(Comparator.comparing(Moment::at));
    }
  }

  private static String what(JsonNode event) {
    String type = event.path("type").asText().replaceFirst("^sandbox\\.", "");
    String error = event.path("detail").path("error").asText("");
    return error.isEmpty() ? type : type + ": " + error;
  }

  private void add(JsonNode at, String what) {
    try {
      if (at.isTextual()) {
        moments.add(new Moment(Instant.parse(at.asText()).truncatedTo(ChronoUnit.MILLIS), what));
      }
    } catch (DateTimeParseException e) {
      // an instant that is none is left out: the rest is still true
    }
  }

  /** A line each: the first with its instant, the others with the time since the one before. */
  List<String> lines() {
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < moments.size(); i++) {
      Moment moment = moments.get(i);
      String when =
          i == 0
              ? moment.at().toString()
              : "+" + Spans.of(Duration.between(moments.get(i - 1).at(), moment.at()));
      lines.add("%-24s  %s".formatted(when, moment.what()));
    }
    return lines;
  }
}
