package dev.sandboxer.platform.api.control;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.sandboxer.platform.access.Role;
import dev.sandboxer.platform.api.Caller;
import dev.sandboxer.platform.health.FeatureCheck;
import dev.sandboxer.platform.health.Finding;
import io.quarkus.arc.All;
import io.smallrye.common.annotation.RunOnVirtualThread;
import io.smallrye.health.SmallRyeHealthReporter;
import jakarta.enterprise.inject.Any;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/**
 * {@code /v1/health}: does the process live, may requests come. A view of {@code /q/health};
 * details are for operators.
 */
@Path("/v1/health")
@Produces(MediaType.APPLICATION_JSON)
@RunOnVirtualThread
@Tag(name = "operations")
public class HealthResource {

  private final Caller caller;
  private final SmallRyeHealthReporter health;
  private final List<FeatureCheck> features;

  HealthResource(
      Caller caller, SmallRyeHealthReporter health, @Any @All List<FeatureCheck> features) {
    this.caller = caller;
    this.health = health;
    this.features = features;
  }

  @GET
  @Operation(operationId = "health", summary = "Liveness; needs no key")
  public HealthView alias() {
    return live();
  }

  @GET
  @Path("live")
  @Operation(operationId = "live", summary = "Liveness; needs no key")
  public HealthView live() {
    return new HealthView("up", null);
  }

  @GET
  @Path("ready")
  @Operation(
      operationId = "ready",
      summary = "Readiness; needs no key",
      description = "503 while the database does not answer. With an operator's key: the checks.")
  public Response ready() {
    boolean up = !health.getReadiness().isDown();
    HealthView view =
        new HealthView(up ? "up" : "down", caller.may(Role.OPERATOR) ? checks(up) : null);
    return Response.status(up ? 200 : 503).entity(view).build();
  }

  private List<CheckView> checks(boolean database) {
    return features.stream()
        .filter(feature -> database || !feature.asksDatabase())
        .flatMap(feature -> feature.findings().stream())
        .map(CheckView::of)
        .toList();
  }

  @Schema(name = "Health")
  record HealthView(
      @Schema(enumeration = {"up", "down"}) String status,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable List<CheckView> checks) {}

  @Schema(name = "HealthCheck")
  record CheckView(String name, boolean ok, String detail) {
    static CheckView of(Finding finding) {
      return new CheckView(finding.name(), finding.ok(), finding.detail());
    }
  }
}
