package dev.sandboxer.ext.nsjail;

import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Properties;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Names and values, a line each, as the launcher writes them. What is absent is empty text. */
record Fields(Properties values) {
  private static final Pattern COMMA = Pattern.compile(",");

  static Fields parse(String text) {
    Properties values = new Properties();
    try {
      values.load(new StringReader(text));
    } catch (IOException e) {
      throw new UncheckedIOException(e); // reading from memory does not fail
    } catch (IllegalArgumentException e) {
      return new Fields(new Properties()); // a malformed escape: not what the launcher writes
    }
    return new Fields(values);
  }

  String get(String name) {
    return values.getProperty(name, "");
  }

  List<String> list(String name) {
    return COMMA.splitAsStream(get(name)).filter(part -> !part.isEmpty()).toList();
  }

  List<String> lines(String name) {
    return get(name).lines().filter(line -> !line.isEmpty()).toList();
  }

  Stream<String> names() {
    return values.stringPropertyNames().stream();
  }
}
