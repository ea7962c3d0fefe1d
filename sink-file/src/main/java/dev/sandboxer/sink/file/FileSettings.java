package dev.sandboxer.sink.file;

import dev.sandboxer.spi.ExtensionConfig;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;

/**
 * The settings of a file sink.
 *
 * @param path of the file that is written
 * @param fsync true if an event counts as delivered only once the disk has it
 * @param rotateBytes length from which a new file is begun
 * @param keepFiles how many full files stay, 0 for all
 */
record FileSettings(Path path, boolean fsync, long rotateBytes, int keepFiles) {

  /** Keys below {@code config}. */
  static final Set<String> KNOWN = Set.of("path", "fsync", "rotate_bytes", "keep_files");

  private static final String ROTATE = "104857600";

  /**
   * Reads and checks them.
   *
   * @throws IllegalArgumentException naming the setting and what would be right
   */
  static FileSettings of(ExtensionConfig config) {
    Set<String> unknown = new TreeSet<>(config.values().keySet());
    unknown.removeAll(KNOWN);
    if (!unknown.isEmpty()) {
      throw new IllegalArgumentException(
          "config has the unknown keys %s; known are %s".formatted(unknown, new TreeSet<>(KNOWN)));
    }
    return new FileSettings(
        path(config.get("path", "")),
        fsync(config.get("fsync", "always")),
        number("rotate_bytes", config.get("rotate_bytes", ROTATE), 1, 1L << 50),
        (int) number("keep_files", config.get("keep_files", "0"), 0, 1_000_000));
  }

  private static Path path(String text) {
    try {
      Path path = Path.of(text);
      if (path.isAbsolute() && path.getFileName() != null) {
        return path;
      }
    } catch (InvalidPathException e) {
      // told below, like every other text that is no path
    }
    throw new IllegalArgumentException(
        "config.path '%s' must be an absolute path, such as /var/log/sandboxer/events.jsonl"
            .formatted(text));
  }

  private static boolean fsync(String text) {
    return switch (text) {
      case "always" -> true;
      case "never" -> false;
      default ->
          throw new IllegalArgumentException(
              "config.fsync '%s' must be always or never".formatted(text));
    };
  }

  private static long number(String name, String text, long least, long most) {
    if (text.matches("[0-9]{1,16}")) {
      long number = Long.parseLong(text);
      if (number >= least && number <= most) {
        return number;
      }
    }
    throw new IllegalArgumentException(
        "config.%s '%s' must be a whole number from %d to %d".formatted(name, text, least, most));
  }
}
