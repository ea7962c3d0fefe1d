package dev.sandboxer.platform.api.control;

import dev.sandboxer.platform.provisioning.Routes;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.util.Map;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;

/** {@code /v1/sandboxes/{id}/route}: why a sandbox is where it is. */
@Path("/v1/sandboxes/{id}/route")
@Produces(MediaType.APPLICATION_JSON)
@RunOnVirtualThread
@Tag(name = "routing")
public class SandboxRouteResource {

  private final OtherTenants sandboxes;
  private final Routes routes;

  SandboxRouteResource(OtherTenants sandboxes, Routes routes) {
    this.sandboxes = sandboxes;
    this.routes = routes;
  }

  @GET
  @Operation(
      operationId = "getRoute",
      summary = "Say why a sandbox is where it is",
      description =
          "The decision as it was made for the present generation, in the form of explainRoute, and"
              + " what became of each attempt.")
  public Map<String, Object> route(@PathParam("id") String id) {
    return routes.of(sandboxes.find(id));
  }
}
