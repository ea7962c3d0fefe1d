package dev.sandboxer.cli.events;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.cli.terminal.Escapes;
import dev.sandboxer.cli.terminal.Palette;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.format.DateTimeParseException;

/** An event as one line: when, of what, what, and its facts. */
record EventLine(JsonNode event, Palette palette) {
  private static final int SUBJECT = 24;
  private static final int WORD = 15;
  private static final DateTimeFormatter MILLIS =
      new DateTimeFormatterBuilder().appendInstant(3).toFormatter();

  String text() {
    EventFacts facts = new EventFacts(event);
    String word = Escapes.visible(facts.word());
    String line =
        when()
            + "  "
            + padded(subject(), SUBJECT)
            + "  "
            + palette.state(word)
            + " ".repeat(Math.max(0, WORD - word.length()))
            + "  "
            + Escapes.visible(facts.facts());
    return line.stripTrailing();
  }

  private String when() {
    String at = event.path("occurred_at").asText("");
    try {
      return MILLIS.format(Instant.parse(at));
    } catch (DateTimeParseException e) {
      return Escapes.visible(at);
    }
  }

  private String subject() {
    JsonNode subject = event.path("subject");
    return Escapes.visible(subject.path("sandbox_id").asText(subject.path("tenant").asText("-")));
  }

  private static String padded(String text, int width) {
    return text + " ".repeat(Math.max(0, width - text.length()));
  }
}
