package dev.sandboxer.platform.api.control;

import static org.eclipse.microprofile.openapi.annotations.enums.ParameterIn.QUERY;

import dev.sandboxer.platform.api.Caller;
import dev.sandboxer.platform.api.Page;
import dev.sandboxer.platform.event.Event;
import dev.sandboxer.platform.event.EventType;
import dev.sandboxer.platform.event.Events;
import dev.sandboxer.platform.event.Gap;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.UriInfo;
import jakarta.ws.rs.sse.Sse;
import jakarta.ws.rs.sse.SseEventSink;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/** {@code /v1/events}: what happened to the caller's tenant and its sandboxes. */
@Path("/v1/events")
@Produces(MediaType.APPLICATION_JSON)
@RunOnVirtualThread
@Tag(name = "events")
public class EventResource {

  private final Caller caller;
  private final Events events;
  private final EventStreams streams;
  private final OwnSandboxes sandboxes;

  EventResource(Caller caller, Events events, EventStreams streams, OwnSandboxes sandboxes) {
    this.caller = caller;
    this.events = events;
    this.sandboxes = sandboxes;
    this.streams = streams;
  }

  @GET
  @Operation(
      operationId = "listEvents",
      summary = "What happened to the tenant and its sandboxes, oldest first",
      description =
          "Ordered by position, so that a reader who goes on from its last cursor misses nothing."
              + " Where events after the cursor are no longer kept, gap says which.")
  @Parameter(in = QUERY, name = "cursor", description = "next_cursor of the page before")
  @Parameter(in = QUERY, name = "limit", description = "1 to 1000, 50 by default")
  @Parameter(
      in = QUERY,
      name = "type",
      description = "such as sandbox.ready or sandbox.*; may be repeated")
  @Parameter(in = QUERY, name = "sandbox_id", description = "of one sandbox")
  public EventPage list(@Context UriInfo uri) {
    EventQuery query =
        EventQuery.of(
            caller.principal().tenantId(),
            uri.getQueryParameters(),
            "cursor",
            "limit",
            "type",
            "sandbox_id");
    sandboxes.mayHear(caller.principal(), query.filter().sandboxId());
    List<Event> found = events.after(query.filter(), query.after(), query.limit() + 1);
    Gap gap = query.cursor() == null ? null : gap(query.after()).orElse(null);
    return query.page(found, gap, EventResource::position);
  }

  private Optional<Gap> gap(long after) {
    return events.gap(after).or(() -> events.lost(after));
  }

  @GET
  @Path("types")
  @Operation(
      operationId = "listEventTypes",
      summary = "Every type of event: when it comes and what its detail says")
  public Page<EventTypeView> types() {
    return Page.whole(Arrays.stream(EventType.values()).map(EventTypeView::of).toList());
  }

  @GET
  @Path("stream")
  @Produces(MediaType.SERVER_SENT_EVENTS)
  @Operation(
      operationId = "streamEvents",
      summary = "Follow the tenant's events as they happen",
      description =
          "Server-Sent Events: id is the position, event the type, data the event. Last-Event-ID (or"
              + " ?cursor=) goes on after that position, from the database. Events that are no longer"
              + " kept are told by an event 'gap' with {from, to}. At least every 15 s a comment comes"
              + " with the id up to which nothing more was there.")
  @Parameter(
      in = QUERY,
      name = "cursor",
      description = "goes on after this position; 0 from the beginning")
  @Parameter(
      in = QUERY,
      name = "type",
      description = "such as sandbox.ready or sandbox.*; may be repeated")
  @Parameter(in = QUERY, name = "sandbox_id", description = "of one sandbox")
  @APIResponse(responseCode = "200", description = "Ends with the key alone")
  public void stream(
      @Context UriInfo uri,
      @HeaderParam("Last-Event-ID") @Nullable String last,
      @Context SseEventSink sink,
      @Context Sse sse)
      throws InterruptedException {
    EventQuery query =
        EventQuery.of(
            caller.principal().tenantId(),
            uri.getQueryParameters(),
            "cursor",
            "type",
            "sandbox_id");
    sandboxes.mayHear(caller.principal(), query.filter().sandboxId());
    Long given = last == null ? query.cursor() : EventQuery.cursor(last);
    streams.follow(caller.principal().keyId(), query.filter(), given, sink, sse);
  }

  private static long position(Event event) {
    Long position = event.position();
    return position == null ? 0 : position;
  }
}
