package dev.sandboxer.testing.faulty;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.List;

/**
 * One call of {@code extend} that succeeded.
 *
 * @param object name of the identity
 * @param at when
 * @param until the wanted end
 * @param granted the granted one
 */
public record Extended(String object, Instant at, Instant until, Instant granted) {

  static final String FILE = "extended";

  void append(Path file) {
    String line = "%s %s %s %s%n".formatted(object, at, until, granted);
    try {
      Files.writeString(file, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static List<Extended> read(Path file) {
    if (!Files.exists(file)) {
      return List.of();
    }
    try {
      String text = Files.readString(file);
      return text.substring(0, text.lastIndexOf('\n') + 1).lines().map(Extended::parse).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Extended parse(String line) {
    String[] parts = line.split(" ", -1);
    return new Extended(
        parts[0], Instant.parse(parts[1]), Instant.parse(parts[2]), Instant.parse(parts[3]));
  }
}
