package dev.sandboxer.platform.api.route;

import dev.sandboxer.platform.access.Principal;
import dev.sandboxer.platform.api.Bodies;
import dev.sandboxer.platform.api.Caller;
import dev.sandboxer.platform.api.Example;
import dev.sandboxer.platform.api.control.CreateRequest;
import dev.sandboxer.platform.order.Orders;
import dev.sandboxer.platform.routing.PlanJson;
import dev.sandboxer.platform.routing.Planner;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.io.InputStream;
import java.util.Map;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.ExampleObject;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;

/** {@code /v1/routes/explain}. */
@Path("/v1/routes")
@Produces(MediaType.APPLICATION_JSON)
@RunOnVirtualThread
@Tag(name = "routing")
public class RouteResource {

  private final Caller caller;
  private final Bodies bodies;
  private final Orders orders;
  private final Planner planner;
  private final PlanJson plans;

  RouteResource(Caller caller, Bodies bodies, Orders orders, Planner planner, PlanJson plans) {
    this.caller = caller;
    this.bodies = bodies;
    this.orders = orders;
    this.planner = planner;
    this.plans = plans;
  }

  @POST
  @Path("explain")
  @Operation(
      operationId = "explainRoute",
      summary = "Say where a sandbox would go, and why",
      description =
          "Takes the body of a create and changes nothing. Candidates stand in the order in which"
              + " they would be tried; each rejection names the key of the profile that would change"
              + " it.")
  @RequestBody(
      required = true,
      content =
          @Content(
              mediaType = MediaType.APPLICATION_JSON,
              schema = @Schema(implementation = CreateRequest.class),
              examples = @ExampleObject(name = "local", value = CreateRequest.EXAMPLE)))
  @APIResponse(
      responseCode = "200",
      description = "The route",
      content = @Content(schema = @Schema(implementation = RouteView.class)))
  public Map<String, Object> explain(InputStream stream) {
    Principal principal = caller.principal();
    CreateRequest request =
        CreateRequest.read(bodies.object(bodies.bytes(stream), Example.of(CreateRequest.EXAMPLE)));
    return plans.map(planner.plan(orders.resolve(request.order(principal)).query()));
  }
}
