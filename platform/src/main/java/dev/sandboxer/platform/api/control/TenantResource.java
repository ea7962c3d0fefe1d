package dev.sandboxer.platform.api.control;

import dev.sandboxer.platform.access.Principal;
import dev.sandboxer.platform.access.Role;
import dev.sandboxer.platform.access.Tenant;
import dev.sandboxer.platform.access.Tenants;
import dev.sandboxer.platform.api.Bodies;
import dev.sandboxer.platform.api.Body;
import dev.sandboxer.platform.api.Caller;
import dev.sandboxer.platform.api.Example;
import dev.sandboxer.platform.api.IdempotentCreates;
import dev.sandboxer.platform.api.Page;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.io.InputStream;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.ExampleObject;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/** {@code /v1/tenants}, for administrators. */
@Path("/v1/tenants")
@Produces(MediaType.APPLICATION_JSON)
@RunOnVirtualThread
@Tag(name = "keys and tenants")
public class TenantResource {

  private static final String EXAMPLE = "{\"name\": \"team-data\"}";

  private final Caller caller;
  private final Bodies bodies;
  private final Tenants tenants;
  private final IdempotentCreates creates;

  TenantResource(Caller caller, Bodies bodies, Tenants tenants, IdempotentCreates creates) {
    this.caller = caller;
    this.bodies = bodies;
    this.tenants = tenants;
    this.creates = creates;
  }

  @POST
  @Operation(operationId = "createTenant", summary = "Make a tenant")
  @RequestBody(
      required = true,
      content =
          @Content(
              mediaType = MediaType.APPLICATION_JSON,
              schema = @Schema(implementation = NewTenant.class),
              examples = @ExampleObject(name = "team", value = EXAMPLE)))
  @APIResponse(
      responseCode = "201",
      description = "Made",
      content = @Content(schema = @Schema(implementation = Tenant.class)))
  public Response create(
      InputStream stream, @HeaderParam(IdempotentCreates.HEADER) @Nullable String header) {
    Principal admin = caller.require(Role.ADMIN);
    byte[] bytes = bodies.bytes(stream);
    Body body = bodies.object(bytes, Example.of(EXAMPLE)).only("name");
    String name = body.text("name", KeyResource.NAME, KeyResource.NAME_WANTED);
    var made =
        creates.once(
            creates.key(admin, "POST /v1/tenants", header, bytes),
            _ -> tenants.make(name),
            Tenant::id,
            (_, id) -> tenants.find(id).orElseThrow());
    return made.reply();
  }

  @GET
  @Operation(operationId = "listTenants", summary = "List tenants")
  public Page<Tenant> list() {
    var _ = caller.require(Role.ADMIN);
    return Page.whole(tenants.list());
  }

  @Schema(name = "NewTenant")
  record NewTenant(String name) {}
}
