package dev.sandboxer.platform.api.box;

import dev.sandboxer.platform.access.Principal;
import dev.sandboxer.platform.api.Body;
import dev.sandboxer.platform.api.RequestedMount;
import dev.sandboxer.platform.api.control.ConsumerView;
import dev.sandboxer.platform.api.control.SandboxFields;
import dev.sandboxer.platform.box.BoxField;
import dev.sandboxer.platform.box.BoxRequest;
import dev.sandboxer.platform.box.BoxScope;
import dev.sandboxer.platform.box.BoxSpec;
import dev.sandboxer.platform.box.OnChange;
import dev.sandboxer.platform.box.Template;
import dev.sandboxer.platform.box.TemplateException;
import dev.sandboxer.platform.box.Variable;
import dev.sandboxer.platform.mount.MountRules;
import dev.sandboxer.platform.pipeline.Pipeline;
import dev.sandboxer.platform.pipeline.StoredPipeline;
import dev.sandboxer.spi.Mount;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.eclipse.microprofile.openapi.annotations.enums.SchemaType;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** The body of {@code POST /v1/boxes}, checked. */
@Schema(
    name = "EnsureBox",
    description =
        "Either session_id or variables with the template that names them; either profile, with"
            + " what else the box is made of, or a pipeline that says all of that and the template.")
record EnsureBox(
    @Schema(description = "that is stored", examples = "support") Optional<String> pipeline,
    @Schema(
            description =
                "variables in braces: launcher_type, launcher_id, sender_id, conversation_id,"
                    + " query_id, pipeline, tenant, global; between them A-Za-z0-9_.:/@-",
            defaultValue = Template.DEFAULT,
            maxLength = 256)
        Optional<String> template,
    @Schema(
            description =
                "values of 1 to 256 characters by name; more than the template names may come")
        Map<String, String> variables,
    @Schema(description = "a scope by an id of the caller's own", maxLength = 256)
        Optional<String> sessionId,
    @Schema(description = "profile.<name> or <name>, optionally @version", examples = "local")
        Optional<String> profile,
    @Schema(description = "at most 64 of what the profile declares under inputs")
        Map<String, Object> inputs,
    @Schema(
            description =
                "environment of every command, at most 64 variables of up to 32768 characters; stored"
                    + " encrypted, never shown again")
        Map<String, String> env,
    @Schema(
            type = SchemaType.ARRAY,
            implementation = RequestedMount.class,
            description =
                "beside the profile's; only what it allows under caller_mounts, and together at"
                    + " most 16",
            maxItems = MountRules.MOST)
        List<Mount> mounts,
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
            description = "ends the sandbox after it was unused for this time",
            minimum = "10",
            maximum = "31622400",
            defaultValue = "300")
        Optional<Long> idleSeconds,
    @Schema(description = "never ends for being idle") boolean persistent,
    @Schema(
            description =
                "what happens to a living box that differs from the request: conflict refuses the request,"
                    + " recreate recreates the box",
            enumeration = {"conflict", "recreate"},
            defaultValue = "conflict")
        Optional<String> onChange) {

  /** Also the OpenAPI document's: a test sends it. */
  static final String EXAMPLE =
      """
      {"template": "{launcher_type}_{launcher_id}",
       "variables": {"launcher_type": "group", "launcher_id": "42"}, "profile": "local"}""";

  private static final Pattern TEXT = Pattern.compile("(?s).{1,256}");
  private static final String TEXT_WANTED = "1 to 256 characters";
  private static final Pattern NAME = Pattern.compile("[a-z_]{1,63}");
  private static final int MAX_VARIABLES = 64;
  private static final int MAX_VALUE = 32 * 1024;

  /** The fields of a request for a box of a pipeline, which sets all others. */
  private static final List<String> WITH_PIPELINE =
      List.of("pipeline", "variables", "session_id", "consumer", "on_change");

  /**
   * Reads it.
   *
   * @param pipelines finds one of the caller's tenant
   * @throws dev.sandboxer.platform.problem.ProblemException VALIDATION naming field and value
   */
  static BoxRequest read(
      Body body, Principal principal, Function<String, Optional<StoredPipeline>> pipelines) {
    Optional<String> pipeline =
        body.optionalText("pipeline", BoxFields.PIPELINE, BoxFields.PIPELINE_WANTED);
    if (pipeline.isEmpty()) {
      return ofItsOwn(body, principal);
    }
    checkOnly(body, pipeline.get());
    Pipeline made =
        pipelines
            .apply(pipeline.get())
            .map(StoredPipeline::pipeline)
            .orElseThrow(() -> body.invalid("there is no pipeline '%s'".formatted(pipeline.get())));
    BoxRequest request =
        made.request(
            principal.tenantId(),
            principal.keyId(),
            scope(body, principal, made.template(), pipeline),
            BoxFields.onChange(body).orElse(made.onChange()));
    return BoxFields.consumer(body).map(request::by).orElse(request);
  }

  private static void checkOnly(Body body, String pipeline) {
    BoxFields.OF_SPEC.stream()
        .filter(body::has)
        .findFirst()
        .ifPresent(
            field -> {
              throw body.invalid(
                  "field '%s' is set by pipeline '%s': change it there, or leave the pipeline out"
                      .formatted(field, pipeline));
            });
    body.only(WITH_PIPELINE.toArray(String[]::new));
  }

  private static BoxRequest ofItsOwn(Body body, Principal principal) {
    List<String> all = new ArrayList<>(List.of("template"));
    all.addAll(WITH_PIPELINE);
    all.addAll(BoxFields.OF_SPEC);
    body.only(all.toArray(String[]::new));
    Set<BoxField> named =
        Arrays.stream(BoxField.values())
            .filter(field -> body.has(field.text()))
            .collect(Collectors.toSet());
    BoxSpec spec = BoxFields.spec(body);
    return new BoxRequest(
        principal.tenantId(),
        principal.keyId(),
        scope(
            body,
            principal,
            body.optionalText("template", TEXT, TEXT_WANTED).orElse(Template.DEFAULT),
            Optional.empty()),
        spec,
        SandboxFields.env(body),
        named,
        BoxFields.onChange(body).orElse(OnChange.CONFLICT));
  }

  private static BoxScope scope(
      Body body, Principal principal, String template, Optional<String> pipeline) {
    Map<String, String> variables =
        new LinkedHashMap<>(
            body.texts("variables", NAME, "a variable's name", MAX_VARIABLES, MAX_VALUE));
    pipeline.ifPresent(id -> variables.put(Variable.PIPELINE.text(), id));
    Optional<String> sessionId = body.optionalText("session_id", TEXT, TEXT_WANTED);
    if (sessionId.isPresent() && (body.has("template") || body.has("variables"))) {
      throw body.invalid(
          "a scope is named by 'session_id' or by 'template' and 'variables', not by both");
    }
    try {
      return sessionId.isPresent()
          ? BoxScope.literal(sessionId.get())
          : BoxScope.of(Template.parse(template), principal.tenantId(), variables);
    } catch (TemplateException e) {
      throw body.invalid(e.getMessage());
    }
  }
}
