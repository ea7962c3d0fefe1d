package dev.sandboxer.platform.api.control;

import dev.sandboxer.platform.access.Principal;
import dev.sandboxer.platform.access.Role;
import dev.sandboxer.platform.access.Tenant;
import dev.sandboxer.platform.access.Tenants;
import dev.sandboxer.platform.api.AuditedAction;
import dev.sandboxer.platform.api.Bodies;
import dev.sandboxer.platform.api.Body;
import dev.sandboxer.platform.api.Caller;
import dev.sandboxer.platform.api.Example;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.platform.session.OnBehalfOf;
import dev.sandboxer.platform.session.ProtocolDialect;
import dev.sandboxer.platform.session.Sessions;
import dev.sandboxer.platform.token.Revocations;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.io.InputStream;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.ExampleObject;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jdbi.v3.core.Jdbi;

/** {@code /v1/revocations}: all tokens of something count no more, and their streams are cut. */
@Path("/v1/revocations")
@Produces(MediaType.APPLICATION_JSON)
@RunOnVirtualThread
@Tag(name = "tokens")
public class RevocationResource {

  private static final String EXAMPLE = "{\"session_id\": \"ssn_k3v9a0q7x2m5n8b1c4d6\"}";
  private static final Pattern ID = Pattern.compile("[A-Za-z0-9_.-][A-Za-z0-9_. -]{0,127}");

  private final Caller caller;
  private final Bodies bodies;
  private final AuditedAction audited;
  private final Jdbi jdbi;
  private final Revocations revocations;
  private final Sessions sessions;
  private final OwnSandboxes sandboxes;
  private final Tenants tenants;

  RevocationResource(
      Caller caller,
      Bodies bodies,
      AuditedAction audited,
      Jdbi jdbi,
      Revocations revocations,
      Sessions sessions,
      OwnSandboxes sandboxes,
      Tenants tenants) {
    this.caller = caller;
    this.bodies = bodies;
    this.audited = audited;
    this.jdbi = jdbi;
    this.revocations = revocations;
    this.sessions = sessions;
    this.sandboxes = sandboxes;
    this.tenants = tenants;
  }

  @POST
  @Operation(
      operationId = "revokeTokens",
      summary = "End all tokens of a session, a sandbox, a tenant, or all",
      description =
          "Refused within 1 s on every node; open sockets close within 2 s. New tokens can be had at"
              + " once. Tenants and all: administrators only.")
  @RequestBody(
      required = true,
      content =
          @Content(
              mediaType = MediaType.APPLICATION_JSON,
              schema = @Schema(implementation = Wanted.class),
              examples = @ExampleObject(name = "a session", value = EXAMPLE)))
  @APIResponse(
      responseCode = "201",
      description = "Revoked",
      content = @Content(schema = @Schema(implementation = Revoked.class)))
  public Response revoke(InputStream stream) {
    Principal principal = caller.principal();
    audited.is("token.revoke");
    Body body =
        bodies
            .object(bodies.bytes(stream), Example.of(EXAMPLE))
            .only("session_id", "sandbox_id", "tenant", "all");
    long named = Stream.of("session_id", "sandbox_id", "tenant", "all").filter(body::has).count();
    if (named != 1) {
      throw body.invalid("send exactly one of session_id, sandbox_id, tenant and all");
    }
    Target target = target(principal, body);
    long epoch = jdbi.inTransaction(open -> revocations.revoke(open, target.kind(), target.id()));
    return Response.status(201)
        .entity(new Revoked(target.kind().text(), target.shown(), epoch))
        .build();
  }

  private Target target(Principal principal, Body body) {
    if (body.has("session_id")) {
      String id = body.text("session_id", ID, "a session's id");
      audited.session(id);
      var _ =
          sessions.find(
              OnBehalfOf.of(principal, Optional.empty(), Optional.empty()),
              ProtocolDialect.SHORT,
              id);
      return new Target(Revocations.Kind.SESSION, id, id);
    }
    if (body.has("sandbox_id")) {
      String id = body.text("sandbox_id", ID, "a sandbox's id");
      audited.sandbox(id);
      return new Target(Revocations.Kind.SANDBOX, sandboxes.find(principal, id).id().raw(), id);
    }
    var _ = caller.require(Role.ADMIN);
    if (body.has("tenant")) {
      String name = body.text("tenant", ID, "a tenant's name");
      Tenant tenant = tenants.byName(name).orElseThrow(() -> missing("tenant", name));
      return new Target(Revocations.Kind.TENANT, tenant.id(), name);
    }
    if (!body.yes("all")) {
      throw body.invalid("field 'all' must be true");
    }
    return new Target(Revocations.Kind.ALL, "", "");
  }

  private static ProblemException missing(String what, String id) {
    return new ProblemException(ErrorCode.NOT_FOUND, "there is no %s '%s'".formatted(what, id));
  }

  private record Target(Revocations.Kind kind, String id, String shown) {}

  @Schema(name = "Revocation")
  record Wanted(
      Optional<String> sessionId,
      Optional<String> sandboxId,
      @Schema(description = "a tenant's name") Optional<String> tenant,
      @Schema(description = "true") Optional<Boolean> all) {}

  @Schema(name = "Revoked")
  record Revoked(
      @Schema(enumeration = {"session", "sandbox", "tenant", "all"}) String scope,
      String id,
      @Schema(description = "tokens below it count no more") long minEpoch) {}
}
