package dev.sandboxer.platform.api.control;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.sandboxer.platform.access.Role;
import dev.sandboxer.platform.api.AuditedAction;
import dev.sandboxer.platform.api.Bodies;
import dev.sandboxer.platform.api.Body;
import dev.sandboxer.platform.api.Caller;
import dev.sandboxer.platform.api.Page;
import dev.sandboxer.platform.mount.CallerMounts;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.platform.profile.InputSpec;
import dev.sandboxer.platform.profile.Profile;
import dev.sandboxer.platform.profile.ProfileDocuments;
import dev.sandboxer.platform.profile.ProfileEntry;
import dev.sandboxer.platform.profile.ProfileLint;
import dev.sandboxer.platform.profile.ProfileRecipe;
import dev.sandboxer.platform.profile.ProfileSchema;
import dev.sandboxer.platform.profile.ProfileStore;
import dev.sandboxer.platform.sandbox.ExtensionId;
import dev.sandboxer.spi.Mount;
import dev.sandboxer.spi.Resources;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.io.InputStream;
import java.math.BigDecimal;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.ExampleObject;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/** {@code /v1/profiles}. */
@Path("/v1/profiles")
@Produces(MediaType.APPLICATION_JSON)
@RunOnVirtualThread
@Tag(name = "profiles")
public class ProfileResource {

  private static final java.util.regex.Pattern ANY =
      java.util.regex.Pattern.compile("[\\s\\S]{0,65536}");
  private static final java.util.regex.Pattern FILE =
      java.util.regex.Pattern.compile("[^\\p{Cntrl}]{1,255}");
  private static final Map<String, Object> LINT_EXAMPLE =
      Map.of(
          "file", "tests.yaml",
          "yaml", "id: profile.tests\nversion: 1\nextension: ext.nsjail\nttl: 30\n");

  private final ProfileStore profiles;
  private final ProfileDocuments documents;
  private final ProfileSchema schema;
  private final Caller caller;
  private final Bodies bodies;
  private final AuditedAction audited;

  ProfileResource(
      ProfileStore profiles,
      ProfileDocuments documents,
      ProfileSchema schema,
      Caller caller,
      Bodies bodies,
      AuditedAction audited) {
    this.audited = audited;
    this.profiles = profiles;
    this.documents = documents;
    this.schema = schema;
    this.caller = caller;
    this.bodies = bodies;
  }

  @GET
  @Operation(
      operationId = "listProfiles",
      summary = "List profiles, and files that are wrong with the line that is")
  public Page<EntryView> list() {
    boolean operator = caller.may(Role.OPERATOR);
    return Page.whole(
        profiles.list().stream().map(entry -> EntryView.of(entry, operator)).toList());
  }

  @GET
  @Path("schema")
  @Operation(operationId = "getProfileSchema", summary = "The JSON Schema of profiles, for editors")
  @APIResponse(
      responseCode = "200",
      description = "A JSON Schema, draft 2020-12",
      content = @Content(schema = @Schema(implementation = Object.class)))
  public Response schema() {
    return Response.ok(schema.text(), MediaType.APPLICATION_JSON_TYPE).build();
  }

  @GET
  @Path("{reference}")
  @Operation(
      operationId = "getProfile",
      summary = "Look at a profile: what it extends merged, with the defaults filled in",
      description = "The reference is a name or profile.<name>, optionally with @version.")
  public DetailView get(@PathParam("reference") String reference) {
    ProfileRecipe recipe =
        profiles
            .recipe(reference)
            .orElseThrow(
                () ->
                    new ProblemException(
                        ErrorCode.NOT_FOUND, "there is no profile '%s'".formatted(reference)));
    boolean operator = caller.may(Role.OPERATOR);
    Map<String, Object> document =
        operator ? documents.of(recipe) : documents.withoutHostPaths(recipe);
    return new DetailView(
        ProfileView.of(recipe.profile(), operator),
        recipe.hash(),
        recipe.bases(),
        profiles.versions(recipe.profile().id()),
        recipe.inputs().stream().map(InputView::of).toList(),
        document,
        documents.yaml(document));
  }

  @DELETE
  @Path("{reference}")
  @Produces({MediaType.APPLICATION_JSON, "application/problem+json"})
  @Operation(
      operationId = "retireProfile",
      summary = "Offer a profile no longer whose file is gone",
      description =
          "For operators. 409 while a file has it or a sandbox uses it. What was made of it keeps"
              + " its version; the same file brings it back.")
  @APIResponse(responseCode = "204", description = "Retired")
  public Response retire(@PathParam("reference") String reference) {
    var _ = caller.require(Role.OPERATOR);
    audited.is("profile.retire");
    profiles.retire(reference.startsWith("profile.") ? reference : "profile." + reference);
    return Response.noContent().build();
  }

  @POST
  @Path("lint")
  @Operation(
      operationId = "lintProfile",
      summary = "Check a profile's text and list everything that is wrong; stores nothing",
      description = "For operators. What it extends must have been imported.")
  @RequestBody(
      required = true,
      content =
          @Content(
              mediaType = MediaType.APPLICATION_JSON,
              schema = @Schema(implementation = LintRequest.class),
              examples =
                  @ExampleObject(
                      name = "wrong",
                      value =
                          "{\"file\": \"tests.yaml\", \"yaml\": \"id: profile.tests\\nversion:"
                              + " 1\\nextension: ext.nsjail\\nttl: 30\\n\"}")))
  public LintView lint(InputStream stream) {
    var _ = caller.require(Role.OPERATOR);
    Body body = bodies.object(bodies.bytes(stream), LINT_EXAMPLE).only("file", "yaml");
    String text = body.text("yaml", ANY, "the text of a profile, at most 65536 characters");
    String file =
        body.optionalText("file", FILE, "a file's name, for the errors").orElse("profile.yaml");
    ProfileLint found = profiles.lint(file, text);
    return new LintView(found.problems().isEmpty(), found.problems(), found.notes());
  }

  private static List<String> lower(Iterable<? extends Enum<?>> values) {
    List<String> names = new java.util.ArrayList<>();
    values.forEach(value -> names.add(value.name().toLowerCase(Locale.ROOT)));
    names.sort(null);
    return names;
  }

  @Schema(name = "ProfileEntry")
  record EntryView(
      String id,
      @Nullable ProfileView profile,
      @Nullable String hash,
      @Schema(description = "the file; for operators") @JsonInclude(JsonInclude.Include.NON_NULL)
          @Nullable String source,
      @Schema(description = "files of the same profile that do not count; for operators")
          @JsonInclude(JsonInclude.Include.NON_NULL)
          @Nullable List<String> shadowed,
      @JsonInclude(JsonInclude.Include.NON_NULL) ProfileEntry.@Nullable ProfileError error) {

    static EntryView of(ProfileEntry entry, boolean operator) {
      ProfileRecipe recipe = entry.recipe();
      return new EntryView(
          entry.id(),
          recipe == null ? null : ProfileView.of(recipe.profile(), operator),
          recipe == null ? null : recipe.hash(),
          operator ? entry.source() : null,
          operator ? entry.shadowed() : null,
          entry.error());
    }
  }

  @Schema(name = "Profile")
  record ProfileView(
      String id,
      int version,
      String description,
      @Schema(description = "the first candidate") String extension,
      @Schema(description = "backends that may run it, in the order to try")
          List<String> candidates,
      @Nullable String image,
      String isolation,
      @Nullable String runtime,
      ResourcesView resources,
      @Schema(description = "What boxd holds at most, where it is set; else boxd's defaults")
          Map<String, Long> limits,
      String network,
      List<MountView> mounts,
      @Schema(description = "What a request may mount besides") CallerMountsView callerMounts,
      @Schema(description = "What only the extension understands") Map<String, Object> options,
      List<String> envNames,
      long ttlSeconds,
      long idleSeconds,
      long hardTtlSeconds,
      Map<String, String> labels,
      List<String> bestEffort) {

    static ProfileView of(Profile profile, boolean operator) {
      return new ProfileView(
          profile.id(),
          profile.version(),
          profile.description(),
          profile.candidates().stream().findFirst().map(ExtensionId::text).orElse(""),
          profile.candidates().stream().map(ExtensionId::text).toList(),
          profile.image(),
          profile.isolation().name().toLowerCase(Locale.ROOT),
          profile.runtime(),
          ResourcesView.of(profile.resources()),
          new TreeMap<>(profile.limits()),
          profile.network().mode().name().toLowerCase(Locale.ROOT),
          profile.mounts().stream().map(mount -> MountView.of(mount, operator)).toList(),
          CallerMountsView.of(profile.callerMounts()),
          profile.options(),
          profile.env().keySet().stream().sorted().toList(),
          profile.ttl().toSeconds(),
          profile.idle().toSeconds(),
          profile.hardTtl().toSeconds(),
          profile.labels(),
          lower(profile.bestEffort()));
    }
  }

  @Schema(name = "Resources")
  record ResourcesView(
      BigDecimal cpus,
      long memoryBytes,
      int pids,
      long workspaceBytes,
      long tmpBytes,
      int openFiles) {

    static ResourcesView of(Resources resources) {
      return new ResourcesView(
          resources.cpus(),
          resources.memoryBytes(),
          resources.pids(),
          resources.workspaceBytes(),
          resources.tmpBytes(),
          resources.openFiles());
    }
  }

  @Schema(name = "ProfileMount")
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record MountView(
      @Schema(description = "for operators") @Nullable String hostPath,
      @Nullable Long tmpfsBytes,
      String mountPath,
      String mode) {

    static MountView of(Mount mount, boolean operator) {
      return new MountView(
          operator && mount instanceof Mount.HostFolder folder ? folder.hostPath() : null,
          mount instanceof Mount.Tmpfs tmpfs ? tmpfs.sizeBytes() : null,
          mount.mountPath(),
          mount.writable() ? "rw" : "ro");
    }
  }

  @Schema(name = "CallerMounts")
  record CallerMountsView(
      @Schema(description = "folders of the host that a request may name, with all below them")
          List<String> roots,
      @Schema(description = "ro, rw and tmpfs; rw includes ro; empty for nothing")
          List<String> modes,
      @Schema(description = "mounts of one request") int max) {

    static CallerMountsView of(CallerMounts allowed) {
      return new CallerMountsView(allowed.roots(), lower(allowed.modes()), allowed.most());
    }
  }

  @Schema(name = "ProfileInput")
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record InputView(
      String name,
      String type,
      boolean required,
      @JsonProperty("default") @Nullable String silent,
      @Nullable List<String> values,
      @Nullable String pattern,
      String description) {

    static InputView of(InputSpec spec) {
      var pattern = spec.pattern();
      return new InputView(
          spec.name(),
          spec.type().text(),
          spec.required(),
          spec.silent(),
          spec.values().isEmpty() ? null : spec.values(),
          pattern == null ? null : pattern.pattern(),
          spec.description());
    }
  }

  @Schema(name = "ProfileDetail")
  record DetailView(
      @JsonUnwrapped ProfileView profile,
      String hash,
      @JsonProperty("extends") List<String> bases,
      List<Integer> versions,
      List<InputView> inputs,
      Map<String, Object> document,
      String yaml) {}

  @Schema(name = "LintRequest")
  record LintRequest(
      @Schema(description = "name for the errors") @Nullable String file,
      @Schema(description = "the text of a profile") String yaml) {}

  @Schema(name = "Lint")
  record LintView(
      boolean valid,
      List<ProfileEntry.ProfileError> problems,
      @Schema(
              description =
                  "What could not be checked here, such as the options of an extension that is not loaded")
          List<ProfileEntry.ProfileError> notes) {}
}
