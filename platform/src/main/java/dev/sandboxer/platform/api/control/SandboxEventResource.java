package dev.sandboxer.platform.api.control;

import static org.eclipse.microprofile.openapi.annotations.enums.ParameterIn.QUERY;

import dev.sandboxer.platform.access.Principal;
import dev.sandboxer.platform.api.Caller;
import dev.sandboxer.platform.event.Event;
import dev.sandboxer.platform.event.Events;
import dev.sandboxer.platform.event.Gap;
import dev.sandboxer.platform.sandbox.Sandbox;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.UriInfo;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

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
      description =
          "Numbered without a hole; here from the moment of the change. Where events after the"
              + " cursor are no longer kept, gap says which.")
  @Parameter(in = QUERY, name = "cursor", description = "next_cursor of the page before")
  @Parameter(in = QUERY, name = "limit", description = "1 to 1000, 50 by default")
  public EventPage list(@PathParam("id") String id, @Context UriInfo uri) {
    Principal principal = caller.principal();
    EventQuery query =
        EventQuery.of(principal.tenantId(), uri.getQueryParameters(), "cursor", "limit");
    Sandbox sandbox = sandboxes.find(principal, id);
    List<Event> found = events.ofSandbox(id, query.after(), query.limit() + 1);
    return query.page(found, gap(found, query.after(), sandbox.eventSeq()), Event::seq);
  }

  /** Of one sandbox the oldest events go first. */
  private static @Nullable Gap gap(List<Event> found, long after, long last) {
    long next = found.isEmpty() ? last + 1 : found.getFirst().seq();
    return next > after + 1 ? new Gap(after + 1, next - 1) : null;
  }
}
