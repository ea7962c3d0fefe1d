package dev.sandboxer.platform.profile;

import dev.sandboxer.yaml.Closest;
import dev.sandboxer.yaml.Leaves;
import dev.sandboxer.yaml.OpenLeafException;
import dev.sandboxer.yaml.YamlException;
import dev.sandboxer.yaml.YamlValue;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Puts inputs where a reference such as {@code ${inputs.name}} stands in a text; a doubled dollar
 * sign before the brace makes it plain text. What was filled in is not looked at again.
 */
final class InputLeaves implements Leaves {

  private static final Pattern REFERENCE = Pattern.compile("\\$\\$\\{|\\$\\{([^}]*)(}?)");

  /**
   * Who a profile is, what its inputs are, how boxd is bounded, what tokens allow, and what callers
   * may mount, cannot depend on them. Nor can the commands of its setup: an input would be code.
   */
  private static final Pattern NEVER =
      Pattern.compile(
          "(id|version|extends|description|inputs|limits|capabilities|caller_mounts|setup)([.\\[].*)?");

  /** Where a caller may only choose among what the profile's author has written down. */
  private static final Pattern ENUM_ONLY =
      Pattern.compile(
          "(image|extension|isolation|network|secret_refs|best_effort|placement|routing|on_idle|on_lost)"
              + "([.\\[].*)?|mounts\\[\\d+]\\.(host_path|volume|mode)");

  private final Map<String, InputSpec> inputs;
  private final Map<String, String> values;

  /**
   * Fills in.
   *
   * @param inputs that the profile declares
   * @param values checked ones; a text with another input is open
   */
  InputLeaves(Map<String, InputSpec> inputs, Map<String, String> values) {
    this.inputs = Map.copyOf(inputs);
    this.values = Map.copyOf(values);
  }

  @Override
  public String fill(YamlValue value, String text) throws YamlException {
    if (!text.contains("${")) {
      return text;
    }
    StringBuilder filled = new StringBuilder();
    boolean open = false;
    Matcher found = REFERENCE.matcher(text);
    while (found.find()) {
      String replacement = "${";
      if (found.group(1) != null) {
        @Nullable String known = values.get(name(value, found));
        open |= known == null;
        replacement = known == null ? "" : known;
      }
      found.appendReplacement(filled, Matcher.quoteReplacement(replacement));
    }
    found.appendTail(filled);
    if (open) {
      throw new OpenLeafException(value.wrong("it waits for an input"));
    }
    return filled.toString();
  }

  /** A value that is one reference has the type of its input; in a longer text it is text. */
  @Override
  public Object fillAny(YamlValue value, String text) throws YamlException {
    String filled = fill(value, text);
    Matcher whole = REFERENCE.matcher(text);
    if (!whole.matches() || whole.group(1) == null) {
      return filled;
    }
    InputSpec spec = Objects.requireNonNull(inputs.get(name(value, whole)));
    return switch (spec.type()) {
      case INTEGER -> Long.valueOf(filled);
      case BOOLEAN -> Boolean.valueOf(filled);
      case STRING, ENUM -> filled;
    };
  }

  private String name(YamlValue value, Matcher found) throws YamlException {
    String inside = found.group(1);
    if (found.group(2).isEmpty() || !inside.startsWith("inputs.")) {
      throw value.wrong(
          "'%s' is no reference: they look like ${inputs.name}; write $${ for a plain ${"
              .formatted(found.group()));
    }
    String name = inside.substring("inputs.".length());
    @Nullable InputSpec spec = inputs.get(name);
    if (spec == null) {
      String hint =
          Closest.of(name, inputs.keySet())
              .map(near -> "did you mean '" + near + "'?")
              .orElseGet(() -> "there are " + inputs.keySet().stream().sorted().toList());
      throw value.wrong("there is no input '%s': %s".formatted(name, hint));
    }
    checkPlace(value, spec);
    return name;
  }

  private static void checkPlace(YamlValue value, InputSpec spec) throws YamlException {
    if (NEVER.matcher(value.field()).matches()) {
      throw value.wrong(
          value.field().startsWith("setup")
              ? "an input would be code here: put it into 'env' and use the variable, in quotes"
              : "an input cannot stand here");
    }
    if (spec.type() != InputSpec.Type.ENUM && ENUM_ONLY.matcher(value.field()).matches()) {
      throw value.wrong(
          "only an input of type enum can stand here; '%s' is of type %s"
              .formatted(spec.name(), spec.type().text()));
    }
  }
}
