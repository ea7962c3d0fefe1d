package dev.sandboxer.platform.api.box;

import dev.sandboxer.platform.access.Principal;
import dev.sandboxer.platform.api.AuditedAction;
import dev.sandboxer.platform.api.Bodies;
import dev.sandboxer.platform.api.Caller;
import dev.sandboxer.platform.api.ClientWatch;
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
import dev.sandboxer.platform.dataplane.Command;
import dev.sandboxer.platform.dataplane.CommandResult;
import dev.sandboxer.platform.dataplane.SandboxCommands;
import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.pipeline.Pipelines;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.Problem;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.platform.provisioning.Waiters;
import dev.sandboxer.platform.sandbox.Sandbox;
import dev.sandboxer.platform.sandbox.SandboxState;
import io.smallrye.common.annotation.RunOnVirtualThread;
import io.vertx.ext.web.RoutingContext;
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
import java.time.Duration;
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

  private static final Wait EXEC_WAIT = new Wait(Duration.ofSeconds(60));

  private final Caller caller;
  private final Bodies bodies;
  private final Boxes boxes;
  private final Pipelines pipelines;
  private final Waiters waiters;
  private final SandboxCommands commands;
  private final AuditedAction audited;
  private final RoutingContext request;

  BoxResource(
      Caller caller,
      Bodies bodies,
      Boxes boxes,
      Pipelines pipelines,
      Waiters waiters,
      SandboxCommands commands,
      AuditedAction audited,
      RoutingContext request) {
    this.request = request;
    this.commands = commands;
    this.caller = caller;
    this.bodies = bodies;
    this.boxes = boxes;
    this.pipelines = pipelines;
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
            bodies.object(bodies.bytes(stream), Example.of(EnsureBox.EXAMPLE)),
            principal,
            id -> pipelines.find(principal.tenantId(), id));
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
    return outcome == Outcome.FOUND || outcome == Outcome.EXTENDED ? 200 : 201;
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

  @POST
  @Path("boxes/{id}/exec")
  @Operation(
      operationId = "execInBox",
      summary = "Run a command in a box",
      description =
          "Waits for the command. A box whose sandbox has ended is made again first, as it was:"
              + " outcome says so. A non-zero exit, a signal and a timeout are results; a timeout"
              + " kills what the command started and nothing else. Of each stream the first MiB is"
              + " kept, and stdout_truncated and stderr_truncated say where there was more.")
  @RequestBody(
      required = true,
      content =
          @Content(
              mediaType = MediaType.APPLICATION_JSON,
              schema = @Schema(implementation = BoxCommand.class),
              examples = @ExampleObject(name = "a line", value = BoxCommand.EXAMPLE)))
  public BoxCommand.Ended exec(
      @PathParam("id") String id,
      InputStream stream,
      @Parameter(description = "wait=N: how long to wait for its sandbox, 60 s by default")
          @HeaderParam("Prefer")
          @Nullable String prefer)
      throws InterruptedException {
    Wait wait = Wait.of(prefer).orElse(EXEC_WAIT);
    Command command =
        BoxCommand.read(bodies.object(bodies.bytes(stream), Example.of(BoxCommand.EXAMPLE)));
    Box box = own(id);
    audited.is("box.exec").scope("box", box.scope().name());
    Ensured ensured = boxes.use(box, caller.principal().keyId());
    SandboxId sandbox = ensured.box().sandbox().id();
    audited.sandbox(sandbox.publicId());
    if (!awaitSettled(ensured.box(), Optional.of(wait)).reachable()) {
      throw new ProblemException(
          Problem.of(
                  ErrorCode.SANDBOX_STARTING,
                  "the box's sandbox is not ready yet; send the same request again")
              .with("box_id", box.id())
              .with("sandbox_id", sandbox.publicId()));
    }
    return BoxCommand.Ended.of(ensured, run(sandbox, command));
  }

  /** A command whose client has gone is ended. */
  private CommandResult run(SandboxId sandbox, Command command) throws InterruptedException {
    try (ClientWatch watch = new ClientWatch(request)) {
      try {
        return commands.run(sandbox, command);
      } catch (InterruptedException e) {
        if (watch.gone()) {
          throw new ProblemException(
              ErrorCode.REQUEST_TIMEOUT, "the client has gone; its command was ended");
        }
        throw e;
      }
    }
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
  public Response delete(@PathParam("id") String id) throws InterruptedException {
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
        .orElseThrow(() -> unknown(id));
  }

  private static ProblemException unknown(String id) {
    return new ProblemException(ErrorCode.NOT_FOUND, "there is no box '%s'".formatted(id));
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
