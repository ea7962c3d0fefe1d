package dev.sandboxer.ext.nsjail;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Writes JSON; the extension brings no library, and reads none. */
final class Json {
  private Json() {}

  static String write(Object value) {
    return switch (value) {
      case Map<?, ?> map ->
          map.entrySet().stream()
              .map(entry -> quote(entry.getKey().toString()) + ":" + write(entry.getValue()))
              .collect(Collectors.joining(",", "{", "}"));
      case List<?> list ->
          list.stream().map(Json::write).collect(Collectors.joining(",", "[", "]"));
      case Number number -> number.toString();
      case Boolean flag -> flag.toString();
      default -> quote(value.toString());
    };
  }

  private static String quote(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    text.codePoints()
        .forEach(
            point -> {
              if (point == '"' || point == '\\') {
                quoted.append('\\').appendCodePoint(point);
              } else if (point < 0x20) {
                quoted.append(String.format("\\u%04x", point));
              } else {
                quoted.appendCodePoint(point);
              }
            });
    return quoted.append('"').toString();
  }
}
