package dev.sandboxer.platform.profile;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import dev.sandboxer.yaml.YamlException;
import dev.sandboxer.yaml.YamlMap;
import dev.sandboxer.yaml.YamlProblems;
import dev.sandboxer.yaml.YamlValue;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads {@code inputs}. */
final class InputsParser {

  static final Set<String> KNOWN =
      Set.of("type", "values", "default", "required", "pattern", "description");
  private static final int MAX_INPUTS = 32;
  private static final int MAX_VALUES = 64;
  private static final int MAX_PATTERN = 500;

  private final YamlProblems problems;

  private InputsParser(YamlProblems problems) {
    this.problems = problems;
  }

  static Map<String, InputSpec> parse(YamlMap top, YamlProblems problems) {
    Map<String, InputSpec> inputs = new LinkedHashMap<>();
    return problems.read(inputs, () -> new InputsParser(problems).all(top, inputs));
  }

  private Map<String, InputSpec> all(YamlMap top, Map<String, InputSpec> inputs)
      throws YamlException {
    Optional<YamlValue> value = top.find("inputs");
    if (value.isEmpty()) {
      return inputs;
    }
    Map<String, YamlValue> entries = value.get().map().entries();
    if (entries.size() > MAX_INPUTS) {
      throw value.get().wrong("it may have %d inputs".formatted(MAX_INPUTS));
    }
    for (Map.Entry<String, YamlValue> entry : entries.entrySet()) {
      @Nullable InputSpec spec =
          problems.<@Nullable InputSpec>read(null, () -> one(entry.getKey(), entry.getValue()));
      if (spec != null) {
        inputs.put(entry.getKey(), spec);
      }
    }
    return inputs;
  }

  private InputSpec one(String name, YamlValue value) throws YamlException {
    if (!name.matches("[a-z][a-z0-9_]{0,62}")) {
      throw value.wrong("the name '%s' must be lower case letters, digits and _".formatted(name));
    }
    YamlMap map = value.map();
    map.allowOnly(KNOWN, Set.of(), problems);
    InputSpec.Type type = Constants.of(InputSpec.Type.class, map.get("type"));
    InputSpec spec =
        new InputSpec(
            name,
            type,
            values(map, type),
            silent(value, map),
            pattern(map, type),
            map.find("description").isPresent() ? map.get("description").text() : "");
    if (spec.silent() != null) {
      Optional<String> mistake = spec.mistake(spec.silent());
      if (mistake.isPresent()) {
        throw map.get("default").wrong(mistake.get());
      }
    }
    return spec;
  }

  private static List<String> values(YamlMap map, InputSpec.Type type) throws YamlException {
    Optional<YamlValue> value = map.find("values");
    List<String> values = new ArrayList<>();
    if (type == InputSpec.Type.ENUM) {
      for (YamlValue item : map.get("values").list()) {
        values.add(item.text());
      }
      if (values.isEmpty() || values.size() > MAX_VALUES) {
        throw map.get("values").wrong("an enum has 1 to %d values".formatted(MAX_VALUES));
      }
    } else if (value.isPresent()) {
      throw value.get().wrong("only an input of type enum has values");
    }
    return values;
  }

  private static @Nullable String silent(YamlValue value, YamlMap map) throws YamlException {
    Optional<YamlValue> silent = map.find("default");
    Optional<YamlValue> wanted = map.find("required");
    boolean required = wanted.isEmpty() ? silent.isEmpty() : Constants.truth(wanted.get());
    if (required && silent.isPresent()) {
      throw wanted.orElse(value).wrong("an input with a default is not required: leave one out");
    }
    if (!required && silent.isEmpty()) {
      throw wanted.orElse(value).wrong("an input that is not required needs a default");
    }
    return silent.isEmpty() ? null : silent.get().text();
  }

  private static @Nullable Pattern pattern(YamlMap map, InputSpec.Type type) throws YamlException {
    Optional<YamlValue> value = map.find("pattern");
    if (value.isEmpty()) {
      return null;
    }
    if (type != InputSpec.Type.STRING) {
      throw value.get().wrong("only an input of type string has a pattern");
    }
    String text = value.get().text();
    try {
      if (text.length() > MAX_PATTERN) {
        throw value.get().wrong("it may have %d characters".formatted(MAX_PATTERN));
      }
      return Pattern.compile(text);
    } catch (PatternSyntaxException e) {
      throw value
          .get()
          .wrong(
              "%s is no pattern (RE2: without look-around and back-references): %s"
                  .formatted(value.get().shown(), e.getDescription()));
    }
  }
}
