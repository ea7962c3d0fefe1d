package dev.sandboxer.platform.box;

import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The scope of a box, within its tenant.
 *
 * @param name equal for the same scope and for no other
 * @param template that made the name, null if the caller chose an id
 * @param variables that the template names, by their names; empty if the caller chose an id
 * @param sessionId that the caller chose, null if a template made the name
 */
public record BoxScope(
    String name,
    @Nullable String template,
    Map<String, String> variables,
    @Nullable String sessionId) {

  /** Keeps an immutable copy. */
  public BoxScope {
    variables = Map.copyOf(variables);
  }

  /**
   * The scope that a template makes of values.
   *
   * @param template what the scope is made of
   * @param tenantId the value of {@code tenant}
   * @param given values by name
   * @return with the variables that the template names
   * @throws TemplateException for an unknown name, or as {@link Template#render}
   */
  public static BoxScope of(Template template, String tenantId, Map<String, String> given)
      throws TemplateException {
    Map<Variable, String> values = new EnumMap<>(Variable.class);
    for (Map.Entry<String, String> entry : given.entrySet()) {
      values.put(variable(entry.getKey()), entry.getValue());
    }
    values.put(Variable.TENANT, tenantId);
    return new BoxScope(template.render(values), template.text(), shown(template, values), null);
  }

  private static Variable variable(String name) throws TemplateException {
    return Variable.of(name)
        .filter(Variable::given)
        .orElseThrow(
            () ->
                new TemplateException(
                    "there is no variable '%s' to give; there are %s"
                        .formatted(name, Variable.givenNames())));
  }

  private static Map<String, String> shown(Template template, Map<Variable, String> values) {
    Map<String, String> shown = new LinkedHashMap<>();
    template.variables().stream()
        .filter(Variable::given)
        .forEach(one -> shown.put(one.text(), values.getOrDefault(one, "")));
    return shown;
  }

  /** The name under which those who ask for a scope wait for each other. */
  static String turn(String tenantId, String name) {
    return "box/%s/%s".formatted(tenantId, name);
  }

  /**
   * The scope of an id that the caller chose. No template can make its name: those never begin with
   * '='.
   *
   * @param sessionId 1 to 256 characters
   * @return the scope
   * @throws TemplateException if it is empty or too long, or has control characters or half of a
   *     surrogate pair
   */
  public static BoxScope literal(String sessionId) throws TemplateException {
    if (sessionId.isEmpty()) {
      throw new TemplateException("session_id is empty");
    }
    Template.checkText("session_id", sessionId);
    return new BoxScope("=" + sessionId, null, Map.of(), sessionId);
  }
}
