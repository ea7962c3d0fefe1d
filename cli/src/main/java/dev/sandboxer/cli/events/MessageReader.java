package dev.sandboxer.cli.events;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Reads Server-Sent Events as the HTML standard says. Blocks between them. */
final class MessageReader {
  private final BufferedReader lines;
  private String id = "";

  MessageReader(InputStream body) {
    this.lines = new BufferedReader(new InputStreamReader(body, StandardCharsets.UTF_8));
  }

  /** The next one, also one without data; null at the end. One that is cut off is left out. */
  @Nullable Message next() throws IOException {
    String event = "";
    StringBuilder data = new StringBuilder();
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
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
    }
    return null;
  }
}
