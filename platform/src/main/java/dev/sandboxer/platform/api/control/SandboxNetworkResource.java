package dev.sandboxer.platform.api.control;

import dev.sandboxer.platform.provisioning.NetworkFigures;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;

/** {@code /v1/sandboxes/{id}/network}: what its programs have moved. */
@Path("/v1/sandboxes/{id}/network")
@Produces(MediaType.APPLICATION_JSON)
@RunOnVirtualThread
@Tag(name = "sandboxes")
public class SandboxNetworkResource {

  private final OtherTenants sandboxes;
  private final NetworkFigures figures;

  SandboxNetworkResource(OtherTenants sandboxes, NetworkFigures figures) {
    this.sandboxes = sandboxes;
    this.figures = figures;
  }

  @GET
  @Operation(
      operationId = "getNetwork",
      summary = "Say which hosts its programs have called, and how many bytes moved",
      description =
          "Counted by the platform's proxy while the sandbox is ready or active. An administrator"
              + " may look at any tenant's.")
  public NetworkView network(@PathParam("id") String id) throws InterruptedException {
    return NetworkView.of(figures.of(sandboxes.find(id)));
  }
}
