package dev.sandboxer.cli.inspect;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.cli.events.EventFacts;
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
    EventFacts facts = new EventFacts(event);
    return facts.facts().isEmpty() ? facts.word() : facts.word() + ": " + facts.facts();
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

  /** A line each: when, how long after the one before, and what. */
  List<String> lines() {
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < moments.size(); i++) {
      Moment moment = moments.get(i);
      String phase =
          i == 0 ? "" : "+" + Spans.of(Duration.between(moments.get(i - 1).at(), moment.at()));
      lines.add("%-24s  %-8s  %s".formatted(moment.at(), phase, moment.what()));
    }
    return lines;
  }
}
