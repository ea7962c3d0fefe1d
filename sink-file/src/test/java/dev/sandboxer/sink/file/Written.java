package dev.sandboxer.sink.file;

import dev.sandboxer.spi.ExtensionConfig;
import dev.sandboxer.spi.sink.EventSink;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Events with numbers, and what of them is found in the files. */
record Written(Path file) {

  private static final Pattern LINE = Pattern.compile("\\{\"n\": (\\d+), \"fill\": \"x*\"\\}");

  static EventSink sink(Map<String, String> config) {
    return new FileSinkProvider().create(new ExtensionConfig(config));
  }

  /** The numbers in full files and the present one, in order; fails at the first odd line. */
  List<Integer> numbers() {
    List<Integer> numbers = new ArrayList<>();
    for (Path each : files()) {
      String text = text(each);
      if (!text.isEmpty() && !text.endsWith("\n")) {
        throw new AssertionError(each + " ends with a torn line");
      }
      for (String line : text.lines().toList()) {
        Matcher found = LINE.matcher(line);
        if (!found.matches()) {
          throw new AssertionError(each + " has the line " + line);
        }
        numbers.add(Integer.valueOf(found.group(1)));
      }
    }
    return numbers;
  }

  /** Full ones first. */
  List<Path> files() {
    try (Stream<Path> all = Files.list(file.getParent())) {
      return all.filter(each -> each.getFileName().toString().startsWith("events.jsonl"))
          .sorted((one, other) -> rank(one).compareTo(rank(other)))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String rank(Path file) {
    String name = file.getFileName().toString();
    return name.equals("events.jsonl") ? "~" : name;
  }

  private static String text(Path file) {
    try {
      return Files.readString(file, StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
