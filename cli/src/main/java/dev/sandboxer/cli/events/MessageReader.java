package dev.sandboxer.cli.events;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Reads Server-Sent Events as the HTML standard says. Blocks between them. */
final class MessageReader {
  private static final int LONGEST = 4 << 20;

  private final BufferedReader characters;
  private String id = "";
  private boolean afterReturn;

  MessageReader(InputStream body) {
    this.characters = new BufferedReader(new InputStreamReader(body, StandardCharsets.UTF_8));
  }

  /**
   * The next one, also one without data; null at the end. One that is cut off is left out.
   *
   * @throws IOException also if one is longer than any event
   */
  @Nullable Message next() throws IOException {
    String event = "";
    StringBuilder data = new StringBuilder();
    for (String line = line(); line != null; line = line()) {
      if (line.isEmpty()) {
        return new Message(id, event, data.toString());
      }
      int colon = line.indexOf(':');
      String value = colon < 0 ? "" : line.substring(colon + 1).replaceFirst("^ ", "");
      switch (colon < 0 ? line : line.substring(0, colon)) {
        case "id" -> id = value;
        case "event" -> event = value;
        case "data" -> data.append(data.isEmpty() ? "" : "\n").append(value);
        default -> {} // a comment, or what a later platform says
      }
      check(data.length());
    }
    return null;
  }

  /** Up to a line feed, a carriage return, or both; null where the stream ends before. */
  private @Nullable String line() throws IOException {
    StringBuilder line = new StringBuilder();
    for (int next = characters.read(); next >= 0; next = characters.read()) {
      boolean both = next == '\n' && afterReturn;
      afterReturn = next == '\r';
      if (next == '\r' || (next == '\n' && !both)) {
        return line.toString();
      }
      if (!both) {
        line.append((char) next);
        check(line.length());
      }
    }
    return null;
  }

  private static void check(int length) throws IOException {
    if (length > LONGEST) {
      throw new IOException("an event is longer than " + LONGEST + " characters");
    }
  }
}
