package dev.sandboxer.platform.api.control;

import dev.sandboxer.platform.access.Principal;
import dev.sandboxer.platform.api.Caller;
import dev.sandboxer.platform.api.Page;
import dev.sandboxer.platform.event.Event;
import dev.sandboxer.platform.event.EventBody;
import dev.sandboxer.platform.event.Events;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.UriInfo;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;

/** The history of one sandbox. */
@Path("/v1/sandboxes/{id}/events")
@Produces(MediaType.APPLICATION_JSON)
@RunOnVirtualThread
@Tag(name = "events")
public class SandboxEventResource {

  private final Caller caller;
  private final Events events;
  private final OwnSandboxes sandboxes;

  SandboxEventResource(Caller caller, Events events, OwnSandboxes sandboxes) {
    this.caller = caller;
    this.events = events;
    this.sandboxes = sandboxes;
  }

  @GET
  @Operation(
      operationId = "listSandboxEvents",
      summary = "The history of one sandbox, oldest first",
      description = "Numbered without a hole; here from the moment of the change.")
  @Parameter(name = "cursor", description = "next_cursor of the page before")
  @Parameter(name = "limit", description = "1 to 1000, 50 by default")
  public Page<EventBody> list(@PathParam("id") String id, @Context UriInfo uri) {
    Principal principal = caller.principal();
    EventQuery query =
        EventQuery.of(principal.tenantId(), uri.getQueryParameters(), "cursor", "limit");
    var _ = sandboxes.find(principal, id);
    return query.page(events.ofSandbox(id, query.after(), query.limit() + 1), Event::seq);
  }
}
