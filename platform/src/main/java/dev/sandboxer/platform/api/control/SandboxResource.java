package dev.sandboxer.platform.api.control;

import static org.eclipse.microprofile.openapi.annotations.enums.ParameterIn.QUERY;

import dev.sandboxer.platform.access.Principal;
import dev.sandboxer.platform.api.AuditedAction;
import dev.sandboxer.platform.api.Bodies;
import dev.sandboxer.platform.api.Body;
import dev.sandboxer.platform.api.Caller;
import dev.sandboxer.platform.api.Example;
import dev.sandboxer.platform.api.IdempotentCreates;
import dev.sandboxer.platform.api.Page;
import dev.sandboxer.platform.api.Wait;
import dev.sandboxer.platform.idempotency.IdempotencyKey;
import dev.sandboxer.platform.order.Order;
import dev.sandboxer.platform.order.Orders;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.platform.profile.ProfileStore;
import dev.sandboxer.platform.provisioning.CopyBacks;
import dev.sandboxer.platform.provisioning.Creates;
import dev.sandboxer.platform.provisioning.Creates.Created;
import dev.sandboxer.platform.provisioning.SandboxLifecycle;
import dev.sandboxer.platform.provisioning.Waiters;
import dev.sandboxer.platform.routing.Planner;
import dev.sandboxer.platform.routing.RoutingJson;
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
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.UriInfo;
import java.io.InputStream;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Predicate;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.ExampleObject;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/** {@code /v1/sandboxes}. */
@Path("/v1/sandboxes")
@Produces(MediaType.APPLICATION_JSON)
@RunOnVirtualThread
@Tag(name = "sandboxes")
public class SandboxResource {

  private static final String TTL_EXAMPLE = "{\"ttl_seconds\": 600}";
  private static final long MAX_TTL = 366L * 24 * 3600;

  private final Caller caller;
  private final Bodies bodies;
  private final IdempotentCreates keys;
  private final Orders orders;
  private final Planner planner;
  private final RoutingJson routing;
  private final Creates creates;
  private final SandboxLifecycle lifecycle;
  private final OwnSandboxes sandboxes;
  private final OtherTenants others;
  private final SandboxQuery query;
  private final Waiters waiters;
  private final Grants grants;
  private final SandboxViews views;
  private final CopyBacks copies;
  private final AuditedAction audited;
  private final ProfileStore profiles;

  SandboxResource(
      Caller caller,
      Bodies bodies,
      IdempotentCreates keys,
      Orders orders,
      Planner planner,
      RoutingJson routing,
      Creates creates,
      SandboxLifecycle lifecycle,
      OwnSandboxes sandboxes,
      OtherTenants others,
      SandboxQuery query,
      Waiters waiters,
      Grants grants,
      SandboxViews views,
      CopyBacks copies,
      AuditedAction audited,
      ProfileStore profiles) {
    this.profiles = profiles;
    this.audited = audited;
    this.caller = caller;
    this.bodies = bodies;
    this.keys = keys;
    this.orders = orders;
    this.planner = planner;
    this.routing = routing;
    this.creates = creates;
    this.lifecycle = lifecycle;
    this.sandboxes = sandboxes;
    this.others = others;
    this.query = query;
    this.waiters = waiters;
    this.grants = grants;
    this.views = views;
    this.copies = copies;
  }

  @POST
  @Operation(
      operationId = "createSandbox",
      summary = "Establish a sandbox",
      description =
          "202 at once; with 'Prefer: wait=N' 201 as soon as it is ready, else 202 after N seconds."
              + " A repetition with the same Idempotency-Key and body answers as the first one's"
              + " sandbox is now.")
  @RequestBody(
      required = true,
      content =
          @Content(
              mediaType = MediaType.APPLICATION_JSON,
              schema = @Schema(implementation = CreateRequest.class),
              examples = @ExampleObject(name = "local", value = CreateRequest.EXAMPLE)))
  @APIResponse(
      responseCode = "201",
      description = "Ready",
      content = @Content(schema = @Schema(implementation = SandboxWithWarnings.class)))
  @APIResponse(
      responseCode = "202",
      description = "Recorded, not ready yet",
      content = @Content(schema = @Schema(implementation = SandboxWithWarnings.class)))
  public Response create(
      InputStream stream,
      @Parameter(description = "access puts a grant into the reply 201") @QueryParam("include")
          @Nullable String include,
      @HeaderParam("Prefer") @Nullable String prefer,
      @HeaderParam(IdempotentCreates.HEADER) @Nullable String key)
      throws InterruptedException {
    Principal principal = caller.principal();
    Optional<Wait> wait = Wait.of(prefer);
    Include wanted = Include.of(include);
    byte[] bytes = bodies.bytes(stream);
    CreateRequest request =
        CreateRequest.read(bodies.object(bytes, Example.of(CreateRequest.EXAMPLE)));
    @Nullable IdempotencyKey once = keys.key(principal, "POST /v1/sandboxes", key, bytes);
    Order order = order(principal, request);
    Created created = creates.create(order, planner.plan(order.query()), once);
    Sandbox now = awaitSettled(created.sandbox(), wait);
    if (wait.isPresent() && now.state() == SandboxState.FAILED) {
      throw new ProblemException(SandboxFailure.problem(now));
    }
    boolean up = now.state().reachable();
    Response.ResponseBuilder reply =
        reply(
                up ? 201 : 202,
                new SandboxWithWarnings(view(now, wanted), profiles.warnings(request.profile())),
                now,
                wait)
            .header("Location", "/v1/sandboxes/" + now.publicId());
    return IdempotentCreates.marked(reply, created.replayed()).build();
  }

  private Order order(Principal principal, CreateRequest request) {
    try {
      return orders.resolve(request.order(principal));
    } catch (ProblemException e) {
      throw new ProblemException(e.problem().with("example", Example.of(CreateRequest.EXAMPLE)));
    }
  }

  @GET
  @Operation(operationId = "listSandboxes", summary = "List sandboxes, newest first")
  @Parameter(in = QUERY, name = "limit", description = "1 to 1000, 50 by default")
  @Parameter(in = QUERY, name = "cursor", description = "next_cursor of the page before")
  @Parameter(in = QUERY, name = "state", description = "one of the states")
  @Parameter(in = QUERY, name = "live", description = "true leaves out what is destroyed")
  @Parameter(in = QUERY, name = "profile", description = "such as profile.local, or local")
  @Parameter(in = QUERY, name = "extension", description = "such as ext.nsjail, or nsjail")
  @Parameter(in = QUERY, name = "project", description = "of the consumer")
  @Parameter(in = QUERY, name = "actor", description = "of the consumer: adm, agt or atm")
  @Parameter(in = QUERY, name = "session_id", description = "of the consumer")
  @Parameter(in = QUERY, name = "run_id", description = "of the consumer")
  @Parameter(in = QUERY, name = "label", description = "k:v, may be repeated")
  @Parameter(
      in = QUERY,
      name = "tenant",
      description = "for administrators: the name of a tenant, or * for all; else the key's own")
  public Page<SandboxView> list(@Context UriInfo uri) {
    return query.page(caller.principal(), uri.getQueryParameters());
  }

  @GET
  @Path("{id}")
  @Operation(
      operationId = "getSandbox",
      summary = "Look at a sandbox",
      description =
          "With 'Prefer: wait=N' waits until it is up, failed or gone. An administrator may look at"
              + " any tenant's.")
  @APIResponse(
      responseCode = "200",
      description = "The sandbox",
      content = @Content(schema = @Schema(implementation = SandboxView.class)))
  public Response get(
      @PathParam("id") String id,
      @Parameter(description = "access puts a grant into the reply while it can be reached")
          @QueryParam("include")
          @Nullable String include,
      @HeaderParam("Prefer") @Nullable String prefer)
      throws InterruptedException {
    Optional<Wait> wait = Wait.of(prefer);
    Include wanted = Include.of(include);
    // A token for another tenant's is nobody's.
    Sandbox now = awaitSettled(wanted.access() ? own(id) : others.find(id), wait);
    return reply(200, view(now, wanted), now, wait).build();
  }

  @DELETE
  @Path("{id}")
  @Operation(
      operationId = "deleteSandbox",
      summary = "Destroy a sandbox",
      description =
          "202 and the sandbox; 200 when it is destroyed already. Repeatable. With 'Prefer: wait=N'"
              + " waits until it is destroyed. An administrator may destroy any tenant's.")
  @APIResponse(
      responseCode = "202",
      description = "Wished gone",
      content = @Content(schema = @Schema(implementation = SandboxView.class)))
  public Response delete(@PathParam("id") String id, @HeaderParam("Prefer") @Nullable String prefer)
      throws InterruptedException {
    Optional<Wait> wait = Wait.of(prefer);
    Sandbox sandbox = others.findToEnd(id);
    boolean already = sandbox.state() == SandboxState.DESTROYED;
    Sandbox now = already ? sandbox : lifecycle.delete(sandbox);
    if (wait.isPresent()) {
      now = await(now, row -> row.state() == SandboxState.DESTROYED, wait.get().limit());
    }
    return reply(now.state() == SandboxState.DESTROYED ? 200 : 202, now, wait).build();
  }

  @POST
  @Path("{id}/recreate")
  @Operation(
      operationId = "recreateSandbox",
      summary = "Establish it again, as the next generation",
      description = "Wants 'If-Match: <generation>'. Tokens do not survive; the TTL restarts.")
  @RequestBody(required = false)
  public Response recreate(
      @PathParam("id") String id,
      @HeaderParam("If-Match") @Nullable String ifMatch,
      @HeaderParam("Prefer") @Nullable String prefer)
      throws InterruptedException {
    Optional<Wait> wait = Wait.of(prefer);
    Sandbox sandbox = own(id);
    int known = generation(ifMatch);
    Sandbox again = creates.recreate(sandbox, known, planner.plan(routing.query(sandbox)));
    Sandbox now = awaitSettled(again, wait);
    if (wait.isPresent() && now.state() == SandboxState.FAILED) {
      throw new ProblemException(SandboxFailure.problem(now));
    }
    return reply(now.state().reachable() ? 201 : 202, now, wait).build();
  }

  @POST
  @Path("{id}/extend-ttl")
  @Operation(
      operationId = "extendTtl",
      summary = "Move the end of its TTL",
      description =
          "Counts from now; never beyond the hard limit. 'warnings' says what ends it earlier.")
  @RequestBody(
      content =
          @Content(
              mediaType = MediaType.APPLICATION_JSON,
              schema = @Schema(implementation = ExtendTtl.class),
              examples = @ExampleObject(name = "ten minutes", value = TTL_EXAMPLE)))
  public SandboxWithWarnings extendTtl(@PathParam("id") String id, InputStream stream) {
    Sandbox sandbox = own(id);
    Body body = bodies.object(bodies.bytes(stream), Example.of(TTL_EXAMPLE)).only("ttl_seconds");
    long seconds =
        body.optionalNumber("ttl_seconds", 1, MAX_TTL)
            .orElseThrow(() -> body.invalid("field 'ttl_seconds' is missing: whole seconds"));
    Sandbox extended = lifecycle.extendTtl(sandbox, seconds);
    return SandboxWithWarnings.extended(
        views.of(extended), seconds, lifecycle.idleSeconds(extended));
  }

  @POST
  @Path("{id}/sync")
  @Operation(
      operationId = "syncSandbox",
      summary = "Write what it changed in copied folders back to the host",
      description =
          "Answers once that is done. What both sides have changed is kept twice. Folders that are"
              + " mounted need no sync and are not named in the answer; what a sandbox that ends has"
              + " changed comes back by itself.")
  public SyncView sync(@PathParam("id") String id) throws InterruptedException {
    return SyncView.of(copies.sync(own(id)));
  }

  @POST
  @Path("{id}/activate")
  @Operation(operationId = "activateSandbox", summary = "Mark a ready sandbox as in use")
  public SandboxView activate(@PathParam("id") String id) {
    return views.of(lifecycle.activate(own(id)));
  }

  @POST
  @Path("{id}/suspend")
  @Operation(
      operationId = "suspendSandbox",
      summary = "Suspend it, with its processes and files kept",
      description =
          "202 at once, or the sandbox once it is suspended with 'Prefer: wait=N'. It goes on at"
              + " 'resume' and as soon as its dataplane is used. Its TTL goes on meanwhile, its idle"
              + " time does not. Open streams are closed; tokens stay good.")
  @RequestBody(required = false)
  @APIResponse(
      responseCode = "202",
      description = "Requested",
      content = @Content(schema = @Schema(implementation = SandboxView.class)))
  public Response suspend(
      @PathParam("id") String id, @HeaderParam("Prefer") @Nullable String prefer)
      throws InterruptedException {
    Optional<Wait> wait = Wait.of(prefer);
    Sandbox now = lifecycle.suspend(own(id));
    if (wait.isPresent()) {
      now = await(now, row -> row.state() != SandboxState.SUSPENDING, wait.get().limit());
    }
    return reply(now.state() == SandboxState.SUSPENDED ? 200 : 202, now, wait).build();
  }

  @POST
  @Path("{id}/resume")
  @Operation(
      operationId = "resumeSandbox",
      summary = "Let a suspended sandbox run again",
      description =
          "202 at once, or the sandbox once it runs with 'Prefer: wait=N'; 200 if it runs already. A"
              + " condition 'not_resumed' says why it stayed suspended.")
  @RequestBody(required = false)
  @APIResponse(
      responseCode = "202",
      description = "Requested",
      content = @Content(schema = @Schema(implementation = SandboxView.class)))
  public Response resume(@PathParam("id") String id, @HeaderParam("Prefer") @Nullable String prefer)
      throws InterruptedException {
    Optional<Wait> wait = Wait.of(prefer);
    Sandbox now = lifecycle.resume(own(id));
    if (wait.isPresent()) {
      now = await(now, row -> !row.resuming(), wait.get().limit());
    }
    return reply(now.state().reachable() ? 200 : 202, now, wait).build();
  }

  @GET
  @Path("{id}/access")
  @Operation(
      operationId = "getAccess",
      summary = "Get a token and the dataplane's addresses",
      description = "The token lives 300 s; call again for a fresh one at two thirds of that.")
  public AccessView access(@PathParam("id") String id) {
    audited.givesToken("sandbox.access").sandbox(id);
    return grants.grant(caller.principal(), own(id));
  }

  private Sandbox own(String id) {
    return sandboxes.find(caller.principal(), id);
  }

  private Sandbox awaitSettled(Sandbox sandbox, Optional<Wait> wait) throws InterruptedException {
    return wait.isEmpty()
        ? await(sandbox, _ -> true, Duration.ZERO)
        : await(sandbox, row -> row.state().settled(), wait.get().limit());
  }

  private Sandbox await(Sandbox sandbox, Predicate<Sandbox> enough, Duration limit)
      throws InterruptedException {
    return waiters.await(sandbox.id(), enough, limit).orElse(sandbox);
  }

  /** A grant is always a new one: a replayed create gets a token that lives as long as any. */
  private SandboxView view(Sandbox sandbox, Include include) {
    Optional<AccessView> access =
        include.access() ? grants.find(caller.principal(), sandbox) : Optional.empty();
    access.ifPresent(_ -> audited.givesToken("sandbox.access").sandbox(sandbox.publicId()));
    return views.of(sandbox, access.orElse(null));
  }

  private Response.ResponseBuilder reply(int status, Sandbox sandbox, Optional<Wait> wait) {
    return reply(status, views.of(sandbox), sandbox, wait);
  }

  private static Response.ResponseBuilder reply(
      int status, Record view, Sandbox sandbox, Optional<Wait> wait) {
    Response.ResponseBuilder reply =
        Response.status(status).entity(view).header("ETag", "\"" + sandbox.generation() + "\"");
    wait.ifPresent(applied -> reply.header("Preference-Applied", applied.applied()));
    return reply;
  }

  private static int generation(@Nullable String ifMatch) {
    if (ifMatch == null) {
      throw new ProblemException(
          ErrorCode.PRECONDITION_REQUIRED, "send If-Match with the generation that you know");
    }
    String text = ifMatch.strip().replaceAll("^\"|\"$", "");
    if (!text.matches("[0-9]{1,9}")) {
      throw new ProblemException(
          ErrorCode.VALIDATION, "If-Match '%s' is no generation".formatted(ifMatch));
    }
    return Integer.parseInt(text);
  }

  @Schema(name = "ExtendTtl")
  record ExtendTtl(@Schema(examples = "600") long ttlSeconds) {}
}
