package dev.sandboxer.platform.profile;

import dev.sandboxer.yaml.Closest;
import dev.sandboxer.yaml.YamlException;
import dev.sandboxer.yaml.YamlMap;
import dev.sandboxer.yaml.YamlProblems;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A profile that may still want inputs: everything about it that is known before a create. */
public final class ProfileRecipe {

  private final Profile profile;
  private final Map<String, InputSpec> inputs;
  private final Layers layers;
  private final String hash;
  private final OptionsCheck options;

  private ProfileRecipe(
      Profile profile,
      Map<String, InputSpec> inputs,
      Layers layers,
      String hash,
      OptionsCheck options) {
    this.profile = profile;
    this.inputs = new LinkedHashMap<>(inputs);
    this.layers = layers;
    this.hash = hash;
    this.options = options;
  }

  /**
   * What came of reading a text.
   *
   * @param recipe null if anything is wrong
   * @param problems everything that is wrong
   */
  record Read(@Nullable ProfileRecipe recipe, List<YamlException> problems) {}

  static Read read(String file, String text, Layers.Bases bases, OptionsCheck options) {
    OptionsCheck strict =
        (profile, top, problems) -> {
          UnlimitedFolders.check(profile, top, problems);
          options.check(profile, top, problems);
        };
    return read(file, text, bases, strict, options);
  }

  /** Reads what was checked when it was stored; its options are checked again when it is used. */
  static Read readStored(String file, String text, Layers.Bases bases, OptionsCheck options) {
    return read(file, text, bases, OptionsCheck.NONE, options);
  }

  private static Read read(
      String file, String text, Layers.Bases bases, OptionsCheck now, OptionsCheck later) {
    YamlProblems problems = new YamlProblems();
    @Nullable Layers layers =
        problems.<@Nullable Layers>read(null, () -> Layers.read(file, text, bases));
    if (layers == null) {
      return new Read(null, problems.found());
    }
    Map<String, InputSpec> inputs = InputsParser.parse(layers.merged(), problems);
    Profile profile = parse(layers.merged(), inputs, known(inputs), now, problems);
    everyChoice(layers.merged(), inputs, now, problems);
    return new Read(
        problems.any()
            ? null
            : new ProfileRecipe(profile, inputs, layers, ContentHash.hex(text), later),
        problems.found());
  }

  private static Profile parse(
      YamlMap merged,
      Map<String, InputSpec> inputs,
      Map<String, String> values,
      OptionsCheck options,
      YamlProblems problems) {
    YamlMap filled = merged.filled(new InputLeaves(inputs, values));
    Profile profile = ProfileParser.parse(filled, problems);
    options.check(profile, filled, problems);
    return profile;
  }

  /** What is known without a caller; an enum is at least one of its values. */
  private static Map<String, String> known(Map<String, InputSpec> inputs) {
    Map<String, String> values = new LinkedHashMap<>();
    inputs.forEach(
        (name, spec) -> {
          if (spec.silent() != null) {
            values.put(name, spec.silent());
          } else if (spec.type() == InputSpec.Type.ENUM) {
            values.put(name, spec.values().getFirst());
          }
        });
    return values;
  }

  /** A choice that could never work is the profile's mistake, not the caller's. */
  private static void everyChoice(
      YamlMap merged, Map<String, InputSpec> inputs, OptionsCheck options, YamlProblems problems) {
    for (InputSpec spec : inputs.values()) {
      for (String value : spec.values()) {
        Map<String, String> values = known(inputs);
        values.put(spec.name(), value);
        var _ = parse(merged, inputs, values, options, problems);
      }
    }
  }

  /**
   * The profile as far as it is known without inputs.
   *
   * @return defaults filled in; a field that waits for an input is as if it were silent
   */
  public Profile profile() {
    return profile;
  }

  /**
   * What a caller may or must give.
   *
   * @return in the order of the file
   */
  public List<InputSpec> inputs() {
    return List.copyOf(inputs.values());
  }

  /**
   * SHA-256 of the file that was imported.
   *
   * @return 64 hexadecimal digits
   */
  public String hash() {
    return hash;
  }

  /**
   * What it extends, directly and indirectly.
   *
   * @return nearest first, such as {@code profile.base@1}
   */
  public List<String> bases() {
    return layers.bases();
  }

  /** The merged document, its inputs not filled in. */
  YamlMap document() {
    return layers.merged();
  }

  /**
   * The profile with a caller's inputs, checked again as a whole.
   *
   * @param given names and values
   * @return everything resolved
   * @throws InputsException if one is missing, unknown or wrong, or gives something that the
   *     language refuses
   */
  public Profile with(Map<String, String> given) throws InputsException {
    if (inputs.isEmpty() && given.isEmpty() && !checkedAgain()) {
      return profile;
    }
    List<String> wrong = new ArrayList<>();
    Map<String, String> values = new LinkedHashMap<>();
    new TreeMap<>(given)
        .keySet().stream()
            .filter(name -> !inputs.containsKey(name))
            .forEach(name -> wrong.add("inputs.%s: %s".formatted(name, unknown(name))));
    inputs.forEach((name, spec) -> value(spec, given.get(name), values, wrong));
    if (!wrong.isEmpty()) {
      throw new InputsException(String.join("; ", wrong));
    }
    YamlProblems problems = new YamlProblems();
    Profile resolved = parse(layers.merged(), inputs, values, options, problems);
    if (problems.any()) {
      throw new InputsException(
          (inputs.isEmpty() ? "the profile is wrong: " : "with these inputs the profile is wrong: ")
              + String.join("; ", problems.found().stream().map(YamlException::sentence).toList()));
    }
    return resolved;
  }

  /** What holds today may not tomorrow: another jar, another setting, another release. */
  private boolean checkedAgain() {
    return !profile.options().isEmpty()
        || !profile.secretRefs().isEmpty()
        || profile.network().allow().stream().anyMatch(one -> one.host().matches("\\*.*|.*/.*"));
  }

  private static void value(
      InputSpec spec, @Nullable String given, Map<String, String> values, List<String> wrong) {
    @Nullable String value = given == null ? spec.silent() : given;
    if (value == null) {
      wrong.add("inputs.%s: it is missing (%s)".formatted(spec.name(), wanted(spec)));
      return;
    }
    spec.mistake(value).ifPresent(text -> wrong.add("inputs." + spec.name() + ": " + text));
    values.put(spec.name(), value);
  }

  private static String wanted(InputSpec spec) {
    String type =
        spec.type() == InputSpec.Type.ENUM ? "one of " + spec.values() : spec.type().text();
    return spec.description().isEmpty() ? type : type + ": " + spec.description();
  }

  private String unknown(String name) {
    if (inputs.isEmpty()) {
      return "the profile takes no inputs";
    }
    return Closest.of(name, inputs.keySet())
        .map(near -> "there is no such input; did you mean '" + near + "'?")
        .orElseGet(() -> "there is no such input; there are " + inputs.keySet());
  }
}
