package dev.sandboxer.platform.api.box;

import dev.sandboxer.platform.access.Principal;
import dev.sandboxer.platform.api.AuditedAction;
import dev.sandboxer.platform.api.Bodies;
import dev.sandboxer.platform.api.Caller;
import dev.sandboxer.platform.api.Example;
import dev.sandboxer.platform.api.Page;
import dev.sandboxer.platform.api.PageCursor;
import dev.sandboxer.platform.api.PageLimit;
import dev.sandboxer.platform.api.Wait;
import dev.sandboxer.platform.api.control.SandboxFailure;
import dev.sandboxer.platform.box.Box;
import dev.sandboxer.platform.box.BoxRequest;
import dev.sandboxer.platform.box.BoxScope;
import dev.sandboxer.platform.box.Boxes;
import dev.sandboxer.platform.box.Boxes.Ensured;
import dev.sandboxer.platform.box.Boxes.Outcome;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.platform.provisioning.Waiters;
import dev.sandboxer.platform.sandbox.Sandbox;
import dev.sandboxer.platform.sandbox.SandboxState;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.io.InputStream;
import java.util.List;
import java.util.Optional;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.ExampleObject;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/** {@code /v1/boxes} and {@code /v1/box-templates}. */
@Path("/v1")
@Produces(MediaType.APPLICATION_JSON)
@RunOnVirtualThread
@Tag(name = "boxes")
public class BoxResource {

  private final Caller caller;
  private final Bodies bodies;
  private final Boxes boxes;
  private final Waiters waiters;
  private final AuditedAction audited;

  BoxResource(Caller caller, Bodies bodies, Boxes boxes, Waiters waiters, AuditedAction audited) {
    this.caller = caller;
    this.bodies = bodies;
    this.boxes = boxes;
    this.waiters = waiters;
    this.audited = audited;
  }

  @POST
  @Path("boxes")
  @Operation(
      operationId = "ensureBox",
      summary = "Get or create the box of a scope",
      description =
          "The same scope always gets the same box, however many ask at once. 200 with a living one;"
              + " else, as for a create of a sandbox, 202 at once, or with 'Prefer: wait=N' 201 as"
              + " soon as it is ready. A living box that differs from what the request says is"
              + " refused with BOX_CONFLICT, whose differences name each field with both values.")
  @RequestBody(
      required = true,
      content =
          @Content(
              mediaType = MediaType.APPLICATION_JSON,
              schema = @Schema(implementation = EnsureBox.class),
              examples = @ExampleObject(name = "a chat", value = EnsureBox.EXAMPLE)))
  @APIResponse(
      responseCode = "200",
      description = "The living box",
      content = @Content(schema = @Schema(implementation = BoxView.class)))
  @APIResponse(
      responseCode = "201",
      description = "Made, and ready",
      content = @Content(schema = @Schema(implementation = BoxView.class)))
  @APIResponse(
      responseCode = "202",
      description = "Not ready yet",
      content = @Content(schema = @Schema(implementation = BoxView.class)))
  public Response ensure(InputStream stream, @HeaderParam("Prefer") @Nullable String prefer)
      throws InterruptedException {
    Principal principal = caller.principal();
    Optional<Wait> wait = Wait.of(prefer);
    BoxRequest request =
        EnsureBox.read(
            bodies.object(bodies.bytes(stream), Example.of(EnsureBox.EXAMPLE)), principal);
    checkScope(principal, request.scope());
    audited.is("box.ensure").scope("box", request.scope().name());
    Ensured ensured = boxes.ensure(request);
    audited.sandbox(ensured.box().sandbox().id().publicId());
    SandboxState state = awaitSettled(ensured.box(), wait);
    Response.ResponseBuilder reply =
        Response.status(status(ensured.outcome(), state))
            .header("Location", "/v1/boxes/" + ensured.box().id())
            .entity(BoxView.of(ensured, state.text()));
    wait.ifPresent(applied -> reply.header("Preference-Applied", applied.applied()));
    return reply.build();
  }

  private static int status(Outcome outcome, SandboxState state) {
    if (!state.reachable()) {
      return 202;
    }
    return outcome == Outcome.FOUND ? 200 : 201;
  }

  private SandboxState awaitSettled(Box box, Optional<Wait> wait) throws InterruptedException {
    SandboxState state = box.sandbox().state();
    if (wait.isEmpty() || state.settled()) {
      return state;
    }
    Optional<Sandbox> now =
        waiters.await(box.sandbox().id(), row -> row.state().settled(), wait.get().limit());
    if (now.isPresent() && now.get().state() == SandboxState.FAILED) {
      throw new ProblemException(SandboxFailure.problem(now.get()).with("box_id", box.id()));
    }
    return now.map(Sandbox::state).orElse(state);
  }

  @GET
  @Path("boxes")
  @Operation(operationId = "listBoxes", summary = "List boxes, newest first")
  public Page<BoxView> list(
      @Parameter(description = "1 to 1000, 50 by default") @QueryParam("limit")
          @Nullable String limit,
      @Parameter(description = "next_cursor of the page before") @QueryParam("cursor")
          @Nullable String cursor) {
    Principal principal = caller.principal();
    if (principal.limits().scopes() != null) {
      throw new ProblemException(
          ErrorCode.FORBIDDEN,
          "this key is narrowed to scopes %s and looks at single boxes alone"
              .formatted(principal.limits().scopes()));
    }
    int most = PageLimit.of(limit);
    List<Box> found = boxes.list(principal.tenantId(), PageCursor.read(cursor), most + 1);
    return Page.of(most, found, BoxView::of, last -> PageCursor.text(last.position()));
  }

  @GET
  @Path("boxes/{id}")
  @Operation(operationId = "getBox", summary = "Look at a box")
  public BoxView get(@PathParam("id") String id) {
    return BoxView.of(own(id));
  }

  @DELETE
  @Path("boxes/{id}")
  @Operation(
      operationId = "deleteBox",
      summary = "Forget a box and destroy its sandbox",
      description = "The next request for its scope makes a new one.")
  @APIResponse(responseCode = "204", description = "Forgotten; the sandbox is being destroyed")
  public Response delete(@PathParam("id") String id) {
    Box box = own(id);
    audited
        .is("box.delete")
        .scope("box", box.scope().name())
        .sandbox(box.sandbox().id().publicId());
    boxes.delete(box);
    return Response.noContent().build();
  }

  @GET
  @Path("box-templates")
  @Operation(
      operationId = "getBoxTemplates",
      summary = "The select field for a box's scope, with labels in English and Chinese")
  public TemplateField templates() {
    var _ = caller.principal();
    return TemplateField.BOX_SESSION_ID_TEMPLATE;
  }

  private Box own(String id) {
    Principal principal = caller.principal();
    return boxes
        .find(principal.tenantId(), id)
        .filter(box -> allowed(principal, box.scope()))
        .orElseThrow(
            () -> new ProblemException(ErrorCode.NOT_FOUND, "there is no box '%s'".formatted(id)));
  }

  private static boolean allowed(Principal principal, BoxScope scope) {
    return principal.limits().allowsScope("box", scope.name());
  }

  private static void checkScope(Principal principal, BoxScope scope) {
    if (!allowed(principal, scope)) {
      throw new ProblemException(
          ErrorCode.FORBIDDEN,
          "this key is narrowed to scopes %s, and box:%s is beyond them"
              .formatted(principal.limits().scopes(), scope.name()));
    }
  }
}
