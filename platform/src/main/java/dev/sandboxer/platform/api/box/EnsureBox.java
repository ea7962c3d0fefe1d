package dev.sandboxer.platform.api.box;

import dev.sandboxer.platform.access.Principal;
import dev.sandboxer.platform.api.Body;
import dev.sandboxer.platform.api.control.ConsumerView;
import dev.sandboxer.platform.box.BoxField;
import dev.sandboxer.platform.box.BoxRequest;
import dev.sandboxer.platform.box.BoxScope;
import dev.sandboxer.platform.box.BoxSpec;
import dev.sandboxer.platform.box.OnChange;
import dev.sandboxer.platform.box.Template;
import dev.sandboxer.platform.box.TemplateException;
import dev.sandboxer.platform.sandbox.Consumer;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** The body of {@code POST /v1/boxes}, checked. */
@Schema(
    name = "EnsureBox",
    description = "either session_id or variables, with the template that names them",
    requiredProperties = {"profile"})
record EnsureBox(
    @Schema(
            description =
                "variables in braces: launcher_type, launcher_id, sender_id, conversation_id,"
                    + " query_id, pipeline, tenant, global; between them A-Za-z0-9_.:/@-",
            defaultValue = Template.SILENT,
            maxLength = 256)
        Optional<String> template,
    @Schema(
            description =
                "values of 1 to 256 characters by name; more than the template names may come")
        Map<String, String> variables,
    @Schema(description = "a scope by an id of the caller's own", maxLength = 256)
        Optional<String> sessionId,
    @Schema(description = "profile.<name> or <name>, optionally @version", examples = "local")
        String profile,
    @Schema(description = "at most 64 of what the profile declares under inputs")
        Map<String, Object> inputs,
    @Schema(
            description =
                "environment of every command, at most 64 variables of up to 32768 characters; stored"
                    + " encrypted, never shown again")
        Map<String, String> env,
    @Schema(
            description =
                "at most 64: names of 1 to 63 of A-Za-z0-9._/-, texts of up to 256 characters")
        Map<String, String> labels,
    Optional<ConsumerView> consumer,
    @Schema(
            description =
                "how long its sandbox lives once ready; the profile's hard limit where absent",
            minimum = "1",
            maximum = "31622400")
        Optional<Long> ttlSeconds,
    @Schema(
            description = "ends its sandbox when nobody has used it for so long",
            minimum = "10",
            maximum = "31622400",
            defaultValue = "300")
        Optional<Long> idleSeconds,
    @Schema(description = "never ends for want of use") boolean persistent,
    @Schema(
            description =
                "what becomes of a living box that is otherwise: conflict refuses the request,"
                    + " recreate makes it anew",
            enumeration = {"conflict", "recreate"},
            defaultValue = "conflict")
        Optional<String> onChange) {

  /** Also the OpenAPI document's: a test sends it. */
  static final String EXAMPLE =
      """
      {"template": "{launcher_type}_{launcher_id}",
       "variables": {"launcher_type": "group", "launcher_id": "42"}, "profile": "local"}""";

  private static final String ALL =
      "template, variables, session_id, profile, inputs, env, labels, consumer, ttl_seconds,"
          + " idle_seconds, persistent, on_change";
  private static final Pattern PROFILE =
      Pattern.compile("(profile\\.)?[a-z0-9][a-z0-9-]{0,62}(@[1-9][0-9]{0,8})?");
  private static final Pattern TEXT = Pattern.compile("(?s).{1,256}");
  private static final String TEXT_WANTED = "1 to 256 characters";
  private static final Pattern NAME = Pattern.compile("[a-z_]{1,63}");
  private static final Pattern LABEL = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._/-]{0,62}");
  private static final Pattern VARIABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,127}");
  private static final Pattern INPUT = Pattern.compile("[A-Za-z0-9_.-]{1,63}");
  private static final Pattern ON_CHANGE = Pattern.compile("conflict|recreate");
  private static final int MAX_ENTRIES = 64;
  private static final int MAX_LABEL = 256;
  private static final int MAX_VALUE = 32 * 1024;
  private static final long LEAST_IDLE = 10;
  private static final long MAX_SECONDS = 366L * 24 * 3600;

  /**
   * Reads it.
   *
   * @throws dev.sandboxer.platform.problem.ProblemException VALIDATION naming field and value
   */
  static BoxRequest read(Body body, Principal principal) {
    body.notYet("pipeline", "mounts").only(ALL.split(", "));
    EnsureBox request =
        new EnsureBox(
            body.optionalText("template", TEXT, TEXT_WANTED),
            body.texts("variables", NAME, "a variable's name", MAX_ENTRIES, MAX_VALUE),
            body.optionalText("session_id", TEXT, TEXT_WANTED),
            body.text("profile", PROFILE, "a profile's name, optionally with @version"),
            Map.copyOf(body.scalars("inputs", INPUT, "an input's name", MAX_ENTRIES, MAX_VALUE)),
            body.texts("env", VARIABLE, "a variable's name", MAX_ENTRIES, MAX_VALUE),
            body.texts("labels", LABEL, "1 to 63 of A-Za-z0-9._/-", MAX_ENTRIES, MAX_LABEL),
            body.optionalObject("consumer").map(ConsumerView::read),
            body.optionalNumber("ttl_seconds", 1, MAX_SECONDS),
            body.optionalNumber("idle_seconds", LEAST_IDLE, MAX_SECONDS),
            body.yes("persistent"),
            body.optionalText("on_change", ON_CHANGE, "conflict or recreate"));
    return request.checked(body, principal);
  }

  private BoxRequest checked(Body body, Principal principal) {
    if (sessionId.isPresent() && (template.isPresent() || !variables.isEmpty())) {
      throw body.invalid(
          "a scope is named by 'session_id' or by 'template' and 'variables', not by both");
    }
    Set<BoxField> named =
        Arrays.stream(BoxField.values())
            .filter(field -> body.has(field.text()))
            .collect(Collectors.toSet());
    return new BoxRequest(
        principal.tenantId(),
        principal.keyId(),
        scope(body, principal),
        spec(),
        env,
        named,
        onChange
            .map(text -> OnChange.valueOf(text.toUpperCase(Locale.ROOT)))
            .orElse(OnChange.CONFLICT));
  }

  private BoxScope scope(Body body, Principal principal) {
    try {
      return sessionId.isPresent()
          ? BoxScope.literal(sessionId.get())
          : BoxScope.of(
              Template.parse(template.orElse(Template.SILENT)), principal.tenantId(), variables);
    } catch (TemplateException e) {
      throw body.invalid(e.getMessage());
    }
  }

  private BoxSpec spec() {
    Map<String, String> texts = new LinkedHashMap<>();
    inputs.forEach((name, value) -> texts.put(name, value.toString()));
    return new BoxSpec(
        profile,
        texts,
        List.of(),
        labels,
        consumer
            .map(ConsumerView::asConsumer)
            .orElseGet(() -> new Consumer("agt", "boxes", null, null, Map.of())),
        ttlSeconds,
        idleSeconds,
        persistent);
  }
}
