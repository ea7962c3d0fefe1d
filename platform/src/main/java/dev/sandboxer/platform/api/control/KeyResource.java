package dev.sandboxer.platform.api.control;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.sandboxer.platform.access.ApiKey;
import dev.sandboxer.platform.access.ApiKeys;
import dev.sandboxer.platform.access.Limits;
import dev.sandboxer.platform.access.Principal;
import dev.sandboxer.platform.access.Role;
import dev.sandboxer.platform.access.Tenant;
import dev.sandboxer.platform.access.Tenants;
import dev.sandboxer.platform.api.AuditedAction;
import dev.sandboxer.platform.api.Bodies;
import dev.sandboxer.platform.api.Body;
import dev.sandboxer.platform.api.Caller;
import dev.sandboxer.platform.api.Example;
import dev.sandboxer.platform.api.IdempotentCreates;
import dev.sandboxer.platform.api.Page;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.platform.token.Revocations;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.io.InputStream;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.ExampleObject;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/** {@code /v1/keys}, for administrators. */
@Path("/v1/keys")
@Produces(MediaType.APPLICATION_JSON)
@RunOnVirtualThread
@Tag(name = "keys and tenants")
public class KeyResource {

  static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._ -]{0,63}");
  static final String NAME_WANTED = "1 to 64 of A-Za-z0-9._ -, starting with a letter or digit";
  private static final Pattern ROLE = Pattern.compile("admin|operator|delegate|consumer");
  private static final String EXAMPLE =
      "{\"name\": \"ci\", \"role\": \"consumer\", \"tenant\": \"default\"}";

  private final Caller caller;
  private final Bodies bodies;
  private final ApiKeys keys;
  private final Tenants tenants;
  private final IdempotentCreates creates;
  private final AuditedAction audited;
  private final Revocations revocations;

  KeyResource(
      Caller caller,
      Bodies bodies,
      ApiKeys keys,
      Tenants tenants,
      IdempotentCreates creates,
      AuditedAction audited,
      Revocations revocations) {
    this.audited = audited;
    this.revocations = revocations;
    this.caller = caller;
    this.bodies = bodies;
    this.keys = keys;
    this.tenants = tenants;
    this.creates = creates;
  }

  @POST
  @Operation(
      operationId = "createKey",
      summary = "Make a key; its text is shown this once",
      description = "Without a tenant it is for the caller's own.")
  @RequestBody(
      required = true,
      content =
          @Content(
              mediaType = MediaType.APPLICATION_JSON,
              schema = @Schema(implementation = NewKey.class),
              examples = @ExampleObject(name = "for CI", value = EXAMPLE)))
  @APIResponse(
      responseCode = "201",
      description = "Made",
      content = @Content(schema = @Schema(implementation = KeyView.class)))
  public Response create(
      InputStream stream, @HeaderParam(IdempotentCreates.HEADER) @Nullable String header) {
    Principal admin = caller.require(Role.ADMIN);
    byte[] bytes = bodies.bytes(stream);
    Body body =
        bodies
            .object(bytes, Example.of(EXAMPLE))
            .only("name", "role", "tenant", "user", "capabilities", "scopes");
    String name = body.text("name", NAME, NAME_WANTED);
    Role role =
        Role.valueOf(
            body.text("role", ROLE, "admin, operator, delegate or consumer")
                .toUpperCase(Locale.ROOT));
    Optional<String> tenant = body.optionalText("tenant", NAME, "the name of a tenant");
    Limits limits = KeyLimits.read(body);
    audited.is("key.create");
    var made =
        creates.once(
            creates.key(admin, "POST /v1/keys", header, bytes),
            _ -> made(keys.make(tenant(admin, tenant), name, role, limits)),
            KeyView::id,
            (_, id) -> KeyView.of(keys.find(id).orElseThrow(), null));
    return made.reply();
  }

  private static KeyView made(ApiKeys.Made made) {
    return KeyView.of(made.key(), made.text());
  }

  private Tenant tenant(Principal admin, Optional<String> name) {
    return name.map(tenants::byName)
        .orElseGet(() -> tenants.find(admin.tenantId()))
        .orElseThrow(
            () ->
                new ProblemException(
                    ErrorCode.VALIDATION,
                    "tenant '%s' does not exist; make it with POST /v1/tenants"
                        .formatted(name.orElse(""))));
  }

  @GET
  @Operation(operationId = "listKeys", summary = "List keys, without their texts")
  public Page<KeyView> list() {
    var _ = caller.require(Role.ADMIN);
    return Page.whole(keys.list().stream().map(key -> KeyView.of(key, null)).toList());
  }

  @GET
  @Path("self")
  @Operation(operationId = "getOwnKey", summary = "Look at the key that is sent; for every role")
  public KeyView self() {
    return KeyView.of(keys.find(caller.principal().keyId()).orElseThrow(), null);
  }

  @DELETE
  @Path("{id}")
  @Operation(
      operationId = "endKey",
      summary = "End a key; repeatable",
      description = "409 for the last key with role admin: nobody could make another one.")
  public KeyView end(@PathParam("id") String id) {
    var _ = caller.require(Role.ADMIN);
    audited.is("key.end");
    return keys.end(id, open -> revocations.revoke(open, Revocations.Kind.KEY, id))
        .map(key -> KeyView.of(key, null))
        .orElseThrow(
            () -> new ProblemException(ErrorCode.NOT_FOUND, "there is no key '%s'".formatted(id)));
  }

  @Schema(name = "NewKey")
  record NewKey(
      String name,
      @Schema(enumeration = {"admin", "operator", "delegate", "consumer"}) String role,
      Optional<String> tenant,
      @Schema(description = "on whose behalf the key acts; the key itself if left out")
          Optional<String> user,
      @Schema(description = "that its tokens may have at most; all if left out")
          Optional<List<String>> capabilities,
      @Schema(description = "that it may use: a type, or type:prefix; all if left out")
          Optional<List<String>> scopes) {}

  @Schema(name = "Key")
  record KeyView(
      String id,
      String name,
      String role,
      String tenant,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String user,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable List<String> capabilities,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable List<String> scopes,
      Instant createdAt,
      @Nullable Instant endedAt,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String key) {

    static KeyView of(ApiKey key, @Nullable String text) {
      return new KeyView(
          key.id(),
          key.name(),
          key.role().text(),
          key.tenant(),
          key.limits().user(),
          key.limits().capabilities(),
          key.limits().scopes(),
          key.createdAt(),
          key.endedAt(),
          text);
    }
  }
}
