package dev.sandboxer.platform.box;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The variables that identify the scope of a box, such as {@code {launcher_type}_{launcher_id}}.
 * What it makes of values names each variable and shows where its value ends, so that two different
 * scopes never meet, be they of the same template or of two.
 */
public final class Template {

  /** Where a request and its pipeline name none. */
  public static final String DEFAULT = "{launcher_type}_{launcher_id}";

  private static final int MAX_TEMPLATE = 256;
  private static final int MAX_VALUE = 256;
  private static final Pattern PART =
      Pattern.compile("\\{(?<variable>[^{}]*)\\}|(?<literal>[A-Za-z0-9_.:/@-]+)");

  private final String text;
  private final List<Part> parts;

  private Template(String text, List<Part> parts) {
    this.text = text;
    this.parts = parts;
  }

  /** A variable, or text between variables. */
  private sealed interface Part {

    record Of(Variable variable) implements Part {}

    record Literal(String text) implements Part {}
  }

  /**
   * Reads a template.
   *
   * @param text variables in braces; between them letters, digits and {@code _.:/@-}
   * @return to be rendered
   * @throws TemplateException if it has no variable, an unknown one, or other characters
   */
  public static Template parse(String text) throws TemplateException {
    if (text.length() > MAX_TEMPLATE) {
      throw new TemplateException(
          "a template may have %d characters and this one has %d"
              .formatted(MAX_TEMPLATE, text.length()));
    }
    List<Part> parts = new ArrayList<>();
    Matcher match = PART.matcher(text);
    int end = 0;
    while (end < text.length()) {
      if (!match.find() || match.start() != end) {
        throw new TemplateException(
            "template '%s' has something at character %d that is neither a variable in braces nor of A-Za-z0-9_.:/@-"
                .formatted(text, end + 1));
      }
      parts.add(part(text, match));
      end = match.end();
    }
    if (parts.stream().noneMatch(Part.Of.class::isInstance)) {
      throw new TemplateException(
          "template '%s' names no variable; there are %s".formatted(text, Variable.names()));
    }
    return new Template(text, List.copyOf(parts));
  }

  private static Part part(String text, Matcher match) throws TemplateException {
    @Nullable String literal = match.group("literal");
    if (literal != null) {
      return new Part.Literal(literal);
    }
    String name = Objects.requireNonNull(match.group("variable"));
    return new Part.Of(
        Variable.of(name)
            .orElseThrow(
                () ->
                    new TemplateException(
                        "template '%s' names '%s', which is no variable; there are %s"
                            .formatted(text, name, Variable.names()))));
  }

  /**
   * The template as it was written.
   *
   * @return the text
   */
  public String text() {
    return text;
  }

  /** The variables that it names. */
  List<Variable> variables() {
    return parts.stream()
        .<Variable>mapMulti(
            (part, found) -> {
              if (part instanceof Part.Of(Variable variable)) {
                found.accept(variable);
              }
            })
        .toList();
  }

  /**
   * Makes the name of a scope.
   *
   * @param values what is known; more than the template names is no mistake
   * @return such as {@code {launcher_type:group}_{launcher_id:42}}
   * @throws TemplateException if a variable has no value, an empty one, one of more than 256
   *     characters, or one with control characters or half of a surrogate pair
   */
  String render(Map<Variable, String> values) throws TemplateException {
    StringBuilder scope = new StringBuilder();
    for (Part part : parts) {
      switch (part) {
        case Part.Literal(String literal) -> scope.append(literal);
        case Part.Of(Variable variable) when variable == Variable.GLOBAL ->
            scope.append('{').append(variable.text()).append('}');
        case Part.Of(Variable variable) ->
            scope
                .append('{')
                .append(variable.text())
                .append(':')
                .append(escaped(checked(variable, values.get(variable))))
                .append('}');
      }
    }
    return scope.toString();
  }

  private String checked(Variable variable, @Nullable String value) throws TemplateException {
    if (value == null || value.isEmpty()) {
      throw new TemplateException(
          "template '%s' wants variable '%s', which %s"
              .formatted(text, variable.text(), value == null ? "was not given" : "is empty"));
    }
    checkText("variable '" + variable.text() + "'", value);
    return value;
  }

  /**
   * Checks a text that goes into the name of a scope. The database would change half of a surrogate
   * pair, and so make two names one.
   */
  static void checkText(String what, String value) throws TemplateException {
    if (value.length() > MAX_VALUE) {
      throw new TemplateException(
          "%s has %d characters; it may have %d".formatted(what, value.length(), MAX_VALUE));
    }
    boolean control = value.codePoints().anyMatch(Character::isISOControl);
    boolean half =
        value
            .codePoints()
            .anyMatch(c -> c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE);
    if (control || half) {
      throw new TemplateException(
          "%s has %s".formatted(what, control ? "control characters" : "half of a surrogate pair"));
    }
  }

  private static String escaped(String value) {
    return value.replace("%", "%25").replace("{", "%7B").replace("}", "%7D");
  }
}
