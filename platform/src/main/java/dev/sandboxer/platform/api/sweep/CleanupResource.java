package dev.sandboxer.platform.api.sweep;

import static org.eclipse.microprofile.openapi.annotations.enums.ParameterIn.QUERY;

import dev.sandboxer.platform.access.Role;
import dev.sandboxer.platform.api.AuditedAction;
import dev.sandboxer.platform.api.Caller;
import dev.sandboxer.platform.api.Page;
import dev.sandboxer.platform.api.PageCursor;
import dev.sandboxer.platform.api.PageLimit;
import dev.sandboxer.platform.provisioning.OpenCleanups;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/** {@code /v1/cleanups}: what is still to be removed. */
@Path("/v1/cleanups")
@Produces(MediaType.APPLICATION_JSON)
@RunOnVirtualThread
@Tag(name = "sweeps")
public class CleanupResource {

  private final Caller caller;
  private final OpenCleanups cleanups;
  private final AuditedAction audited;

  CleanupResource(Caller caller, OpenCleanups cleanups, AuditedAction audited) {
    this.caller = caller;
    this.cleanups = cleanups;
    this.audited = audited;
  }

  @GET
  @Operation(
      operationId = "listCleanups",
      summary = "List what attempts have left and is not seen gone yet",
      description = "The oldest first.")
  @Parameter(in = QUERY, name = "limit", description = "1 to 1000, 50 by default")
  @Parameter(in = QUERY, name = "cursor", description = "next_cursor of the page before")
  public Page<CleanupView> list(
      @QueryParam("limit") @Nullable String limit, @QueryParam("cursor") @Nullable String cursor) {
    var _ = caller.require(Role.OPERATOR);
    int most = PageLimit.of(limit);
    return Page.of(
        most,
        cleanups.oldest(PageCursor.read(cursor), most + 1),
        CleanupView::of,
        last -> PageCursor.text(last.position()));
  }

  @POST
  @Path("{attempt_id}/forget")
  @Operation(
      operationId = "forgetCleanup",
      summary = "Give up a clean-up that cannot be done",
      description =
          "For what is gone for ever, such as a host that burnt down: nothing is removed, and it no"
              + " longer counts. Should the objects appear again, a sweep removes them.")
  @RequestBody(required = false)
  @APIResponse(responseCode = "204", description = "Forgotten")
  public Response forget(@PathParam("attempt_id") String attemptId) {
    var _ = caller.require(Role.ADMIN);
    audited.is("cleanup.forget").sandbox(cleanups.sandboxOf(attemptId).publicId());
    cleanups.forget(attemptId);
    return Response.noContent().build();
  }
}
