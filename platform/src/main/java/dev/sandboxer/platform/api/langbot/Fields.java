package dev.sandboxer.platform.api.langbot;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;

/** Reads an object of a request strictly; what is wrong is named by its field. */
final class Fields {

  private final String path;
  private final JsonObject json;

  Fields(JsonObject json) {
    this("", json);
  }

  private Fields(String path, JsonObject json) {
    this.path = path;
    this.json = json;
  }

  /** Refuses fields that are not known. */
  Fields only(Set<String> known) {
    Set<String> unknown = new TreeSet<>(json.fieldNames());
    unknown.removeAll(known);
    if (!unknown.isEmpty()) {
      throw BoxError.invalid(
          "unknown fields %s: this platform would have to leave them out"
              .formatted(unknown.stream().map(name -> path + name).toList()));
    }
    return this;
  }

  Optional<String> optionalText(String name) {
    Object value = json.getValue(name);
    if (value == null) {
      return Optional.empty();
    }
    if (value instanceof String text) {
      return Optional.of(text);
    }
    throw wrong(name, "must be a text");
  }

  String text(String name) {
    return optionalText(name).orElseThrow(() -> wrong(name, "is missing"));
  }

  /** A text without blanks around it that is not empty. */
  String word(String name) {
    String text = text(name).strip();
    if (text.isEmpty()) {
      throw wrong(name, "must not be empty");
    }
    return text;
  }

  /** One of some texts. */
  String choice(String name, List<String> choices) {
    String value = optionalText(name).orElse(choices.getFirst());
    if (!choices.contains(value)) {
      throw wrong(name, "must be one of " + choices);
    }
    return value;
  }

  boolean yes(String name, boolean byDefault) {
    Object value = json.getValue(name);
    if (value == null) {
      return byDefault;
    }
    if (value instanceof Boolean yes) {
      return yes;
    }
    throw wrong(name, "must be true or false");
  }

  long number(String name, long byDefault, long least) {
    return number(name, byDefault, least, Integer.MAX_VALUE);
  }

  private long number(String name, long byDefault, long least, long most) {
    Object value = json.getValue(name);
    if (value == null) {
      return byDefault;
    }
    if (!(value instanceof Integer) && !(value instanceof Long)) {
      throw wrong(name, "must be a whole number");
    }
    long number = ((Number) value).longValue();
    if (number < least || number > most) {
      throw wrong(name, "must be %d to %d".formatted(least, most));
    }
    return number;
  }

  /** A number that must be there. */
  long number(String name, long least) {
    if (json.getValue(name) == null) {
      throw wrong(name, "is missing");
    }
    return number(name, least, least, Long.MAX_VALUE);
  }

  /** A positive decimal number, in its shortest form. */
  String decimal(String name, String byDefault) {
    Object value = json.getValue(name);
    if (value == null) {
      return byDefault;
    }
    if (!(value instanceof Number number) || number.doubleValue() <= 0) {
      throw wrong(name, "must be a number greater than 0");
    }
    return new BigDecimal(number.toString()).stripTrailingZeros().toPlainString();
  }

  Map<String, String> texts(String name) {
    Map<String, String> texts = new LinkedHashMap<>();
    for (Map.Entry<String, Object> entry : object(name).json) {
      if (!(entry.getValue() instanceof String text)) {
        throw wrong(name + "." + entry.getKey(), "must be a text");
      }
      texts.put(entry.getKey(), text);
    }
    return texts;
  }

  List<String> list(String name) {
    return array(name).stream()
        .map(
            one -> {
              if (!(one instanceof String text)) {
                throw wrong(name, "must be a list of texts");
              }
              return text;
            })
        .toList();
  }

  List<Fields> objects(String name) {
    JsonArray array = array(name);
    return IntStream.range(0, array.size())
        .mapToObj(
            i -> {
              if (!(array.getValue(i) instanceof JsonObject one)) {
                throw wrong(name, "must be a list of objects");
              }
              return new Fields("%s%s[%d].".formatted(path, name, i), one);
            })
        .toList();
  }

  /** An object, an empty one if it is absent. */
  Fields object(String name) {
    return switch (json.getValue(name)) {
      case null -> new Fields(path + name + ".", new JsonObject());
      case JsonObject object -> new Fields(path + name + ".", object);
      default -> throw wrong(name, "must be an object");
    };
  }

  boolean has(String name) {
    return json.getValue(name) != null;
  }

  private JsonArray array(String name) {
    return switch (json.getValue(name)) {
      case null -> new JsonArray();
      case JsonArray array -> array;
      default -> throw wrong(name, "must be a list");
    };
  }

  BoxError wrong(String name, String why) {
    return BoxError.invalid("field '%s%s' %s".formatted(path, name, why));
  }
}
