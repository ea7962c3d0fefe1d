package dev.sandboxer.platform.api.control;

import dev.sandboxer.platform.access.Role;
import dev.sandboxer.platform.api.Caller;
import dev.sandboxer.platform.api.Page;
import dev.sandboxer.platform.delivery.Delivery;
import dev.sandboxer.platform.delivery.Parked;
import dev.sandboxer.platform.delivery.SinkStatus;
import dev.sandboxer.platform.delivery.Sinks;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.ProblemException;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;

/** {@code /v1/sinks}: where events are delivered to, for administrators. */
@Path("/v1/sinks")
@Produces(MediaType.APPLICATION_JSON)
@RunOnVirtualThread
@Tag(name = "events")
public class SinkResource {

  private final Caller caller;
  private final Sinks sinks;
  private final Delivery delivery;

  SinkResource(Caller caller, Sinks sinks, Delivery delivery) {
    this.caller = caller;
    this.sinks = sinks;
    this.delivery = delivery;
  }

  @GET
  @Operation(
      operationId = "listSinks",
      summary = "How the receivers of events fare",
      description =
          "lag counts events that a sink has not got, lag_seconds says for how long the slowest"
              + " subject has not moved. While a sink fails its events wait. A sink that this node"
              + " could not load has the state failed, and the reason as last_error.")
  public Page<SinkStatus> list() {
    var _ = caller.require(Role.ADMIN);
    return Page.whole(delivery.status());
  }

  @POST
  @Path("{id}/pause")
  @Operation(operationId = "pauseSink", summary = "Deliver nothing for now; the backlog is kept")
  @RequestBody(required = false)
  public SinkStatus pause(@PathParam("id") String id) {
    return switched(id, true);
  }

  @POST
  @Path("{id}/resume")
  @Operation(operationId = "resumeSink", summary = "Deliver again, from where it was")
  @RequestBody(required = false)
  public SinkStatus resume(@PathParam("id") String id) {
    return switched(id, false);
  }

  private SinkStatus switched(String id, boolean paused) {
    var _ = caller.require(Role.ADMIN);
    if (!sinks.pause(id, paused)) {
      throw unknown(id);
    }
    return delivery.status().stream()
        .filter(sink -> sink.id().equals(id))
        .findFirst()
        .orElseThrow(() -> unknown(id));
  }

  @GET
  @Path("{id}/parked")
  @Operation(
      operationId = "listParked",
      summary = "Subjects that wait behind an event which the sink refused",
      description = "At most 1,000, the oldest first.")
  public Page<Parked> parked(@PathParam("id") String id) {
    var _ = caller.require(Role.ADMIN);
    return Page.whole(sinks.parked(id));
  }

  @POST
  @Path("{id}/parked/{subject}/replay")
  @Operation(operationId = "replayParked", summary = "Deliver the refused event again, and go on")
  @RequestBody(required = false)
  public void replay(@PathParam("id") String id, @PathParam("subject") String subject) {
    unpark(id, subject, false);
  }

  @POST
  @Path("{id}/parked/{subject}/skip")
  @Operation(operationId = "skipParked", summary = "Leave the refused event out, and go on")
  @RequestBody(required = false)
  public void skip(@PathParam("id") String id, @PathParam("subject") String subject) {
    unpark(id, subject, true);
  }

  private void unpark(String id, String subject, boolean skip) {
    var _ = caller.require(Role.ADMIN);
    if (!sinks.unpark(id, subject, skip)) {
      throw new ProblemException(
          ErrorCode.NOT_FOUND, "nothing of '%s' is parked at sink '%s'".formatted(subject, id));
    }
  }

  private static ProblemException unknown(String id) {
    return new ProblemException(
        ErrorCode.NOT_FOUND, "there is no sink '%s'; GET /v1/sinks lists them".formatted(id));
  }
}
