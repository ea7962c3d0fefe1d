package dev.sandboxer.platform.api.sweep;

import static org.eclipse.microprofile.openapi.annotations.enums.ParameterIn.QUERY;

import dev.sandboxer.platform.access.Role;
import dev.sandboxer.platform.api.AuditedAction;
import dev.sandboxer.platform.api.Bodies;
import dev.sandboxer.platform.api.Body;
import dev.sandboxer.platform.api.Caller;
import dev.sandboxer.platform.api.Example;
import dev.sandboxer.platform.api.Page;
import dev.sandboxer.platform.api.PageCursor;
import dev.sandboxer.platform.api.PageLimit;
import dev.sandboxer.platform.id.RowPosition;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.platform.sweep.SweepOrders;
import dev.sandboxer.platform.sweep.SweepReport;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.io.InputStream;
import java.util.Optional;
import java.util.regex.Pattern;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.ExampleObject;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/** {@code /v1/sweeps}: backends against the records, on demand. */
@Path("/v1/sweeps")
@Produces(MediaType.APPLICATION_JSON)
@RunOnVirtualThread
@Tag(name = "sweeps")
public class SweepResource {

  private static final String EXAMPLE = "{\"dry_run\": true, \"host\": \"engine-2\"}";
  private static final Pattern HOST = Pattern.compile("[^\\s\\p{Cntrl}]{1,128}");

  private final Caller caller;
  private final Bodies bodies;
  private final SweepOrders orders;
  private final AuditedAction audited;

  SweepResource(Caller caller, Bodies bodies, SweepOrders orders, AuditedAction audited) {
    this.caller = caller;
    this.bodies = bodies;
    this.orders = orders;
    this.audited = audited;
  }

  @POST
  @Operation(
      operationId = "sweep",
      summary = "Compare backends with the records now",
      description =
          "Begins within seconds; read the report until it is done. Without a body it sweeps every"
              + " place.")
  @RequestBody(
      required = false,
      content =
          @Content(
              mediaType = MediaType.APPLICATION_JSON,
              schema = @Schema(implementation = NewSweep.class),
              examples = @ExampleObject(name = "only look", value = EXAMPLE)))
  @APIResponse(
      responseCode = "202",
      description = "Ordered",
      content = @Content(schema = @Schema(implementation = SweepView.class)))
  public Response sweep(InputStream stream) {
    var _ = caller.require(Role.OPERATOR);
    byte[] bytes = bodies.bytes(stream);
    SweepReport report = bytes.length == 0 ? orders.order(null, false, false) : order(bytes);
    return Response.accepted(SweepView.of(report))
        .header("Location", "/v1/sweeps/" + report.id())
        .build();
  }

  private SweepReport order(byte[] bytes) {
    Body body =
        bodies
            .object(bytes, Example.of(EXAMPLE))
            .only("dry_run", "host", "confirm", "accept_restore");
    String host = body.optionalText("host", HOST, "a host's name").orElse(null);
    boolean dryRun = body.yes("dry_run");
    boolean confirm = body.yes("confirm");
    if (confirm && (host == null || dryRun)) {
      throw body.invalid("'confirm' needs 'host', and is no dry run");
    }
    if (body.yes("accept_restore")) {
      var _ = caller.require(Role.ADMIN);
      audited.is("sweep.accept_restore");
      orders.acceptRestore();
    } else if (confirm) {
      audited.is("sweep.confirm");
    }
    return orders.order(host, dryRun, confirm);
  }

  @GET
  @Operation(
      operationId = "listSweeps",
      summary = "List the sweeps that were ordered",
      description = "Newest first. They are kept for seven days.")
  @Parameter(in = QUERY, name = "limit", description = "1 to 1000, 50 by default")
  @Parameter(in = QUERY, name = "cursor", description = "next_cursor of the page before")
  public Page<SweepView> list(
      @QueryParam("limit") @Nullable String limit, @QueryParam("cursor") @Nullable String cursor) {
    var _ = caller.require(Role.OPERATOR);
    int most = PageLimit.of(limit);
    return Page.of(
        most,
        orders.newest(PageCursor.read(cursor), most + 1),
        SweepView::of,
        last -> PageCursor.text(new RowPosition(last.createdAt(), last.id())));
  }

  @GET
  @Path("{id}")
  @Operation(operationId = "getSweep", summary = "Read the report of a sweep")
  public SweepView get(@PathParam("id") String id) {
    var _ = caller.require(Role.OPERATOR);
    return orders
        .find(id)
        .map(SweepView::of)
        .orElseThrow(
            () ->
                new ProblemException(ErrorCode.NOT_FOUND, "there is no sweep '%s'".formatted(id)));
  }

  @Schema(name = "NewSweep")
  record NewSweep(
      @Schema(description = "changes nothing; false if left out") Optional<Boolean> dryRun,
      @Schema(description = "the only host; all if left out", maxLength = 128)
          Optional<String> host,
      @Schema(
              description =
                  "lets this sweep remove more than five objects and a tenth of what is listed;"
                      + " needs host, not with dry_run; false if left out")
          Optional<Boolean> confirm,
      @Schema(
              description =
                  "for administrators: this node's home and its database belong together, so that"
                      + " sweeps act again; false if left out")
          Optional<Boolean> acceptRestore) {}
}
