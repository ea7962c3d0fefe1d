package dev.sandboxer.platform.profile;

import com.google.re2j.Pattern;
import dev.sandboxer.yaml.Closest;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Something that a caller may give to a profile.
 *
 * @param name as in {@code ${inputs.name}}
 * @param type of its values
 * @param values of an enum, else empty
 * @param silent what counts where the caller gives none; null if one must be given
 * @param pattern that a string must match from its beginning to its end, null for any
 * @param description for people, empty if there is none
 */
public record InputSpec(
    String name,
    Type type,
    List<String> values,
    @Nullable String silent,
    @Nullable Pattern pattern,
    String description) {

  private static final int MAX_LENGTH = 4096;

  /** What a value may be. */
  public enum Type {
    STRING,
    INTEGER,
    BOOLEAN,
    ENUM;

    /**
     * The name in profiles and JSON.
     *
     * @return lower case
     */
    public String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Keeps an immutable copy. */
  public InputSpec {
    values = List.copyOf(values);
  }

  /**
   * Whether the caller must give it.
   *
   * @return false if there is a default
   */
  public boolean required() {
    return silent == null;
  }

  /** What is wrong with a value; empty if nothing is. */
  Optional<String> mistake(String value) {
    return switch (type) {
      case STRING -> stringMistake(value);
      case INTEGER ->
          value.matches("-?(0|[1-9]\\d{0,8})")
              ? Optional.empty()
              : Optional.of(shown(value) + " must be a whole number");
      case BOOLEAN ->
          value.equals("true") || value.equals("false")
              ? Optional.empty()
              : Optional.of(shown(value) + " must be true or false");
      case ENUM -> values.contains(value) ? Optional.empty() : Optional.of(noSuch(value));
    };
  }

  private Optional<String> stringMistake(String value) {
    if (value.length() > MAX_LENGTH || value.indexOf('\0') >= 0) {
      return Optional.of("it may have %d characters, none of them NUL".formatted(MAX_LENGTH));
    }
    @Nullable Pattern form = pattern;
    return form == null || form.matches(value)
        ? Optional.empty()
        : Optional.of(shown(value) + " must match " + form.pattern());
  }

  private String noSuch(String value) {
    String hint =
        Closest.of(value, values).map(near -> "; did you mean '" + near + "'?").orElse("");
    return shown(value) + " must be one of " + values + hint;
  }

  private static String shown(String value) {
    return "'" + (value.length() > 60 ? value.substring(0, 60) + "..." : value) + "'";
  }
}
