package dev.sandboxer.platform.profile;

import dev.sandboxer.yaml.Closest;
import dev.sandboxer.yaml.YamlException;
import dev.sandboxer.yaml.YamlValue;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/** Words of which only some are known. */
final class Constants {

  private Constants() {}

  static <E extends Enum<E>> E of(Class<E> type, YamlValue value) throws YamlException {
    String text = value.text();
    Set<String> names = new TreeSet<>();
    for (E constant : type.getEnumConstants()) {
      String name = constant.name().toLowerCase(Locale.ROOT);
      if (name.equals(text)) {
        return constant;
      }
      names.add(name);
    }
    throw unknown(value, text, names);
  }

  static boolean truth(YamlValue value) throws YamlException {
    String text = value.text();
    if (!text.equals("true") && !text.equals("false")) {
      throw value.wrong("%s must be true or false".formatted(value.shown()));
    }
    return text.equals("true");
  }

  static YamlException unknown(YamlValue value, String text, Set<String> known) {
    String hint = Closest.of(text, known).map(near -> "; did you mean '" + near + "'?").orElse("");
    return value.wrong(
        "%s must be one of %s%s".formatted(value.shown(), new TreeSet<>(known), hint));
  }
}
