package dev.sandboxer.platform.api.host;

import dev.sandboxer.platform.access.Role;
import dev.sandboxer.platform.api.AuditedAction;
import dev.sandboxer.platform.api.Bodies;
import dev.sandboxer.platform.api.Body;
import dev.sandboxer.platform.api.Caller;
import dev.sandboxer.platform.api.Example;
import dev.sandboxer.platform.api.Page;
import dev.sandboxer.platform.host.Admission;
import dev.sandboxer.platform.host.Fleet;
import dev.sandboxer.platform.host.Host;
import dev.sandboxer.platform.host.Registrations;
import dev.sandboxer.platform.host.Running;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.ProblemException;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.PATCH;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.io.InputStream;
import java.util.Locale;
import java.util.regex.Pattern;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.ExampleObject;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;

/** {@code /v1/hosts}: where sandboxes may go. */
@Path("/v1/hosts")
@Produces(MediaType.APPLICATION_JSON)
@RunOnVirtualThread
@Tag(name = "hosts")
public class HostResource {

  private static final String REGISTER_EXAMPLE =
      """
      {"name": "engine-2", "extension": "ext.docker", "address": "unix:///run/docker-2.sock",
       "region": "eu-west", "labels": {"disk": "ssd"}, "capacity": {"sandboxes": 20}}""";
  private static final String CHANGE_EXAMPLE =
      """
      {"labels": {"disk": "ssd"}, "capacity": {"sandboxes": 40, "memory_bytes": 34359738368}}""";
  private static final String DRAIN_EXAMPLE = "{\"running\": \"recreate\"}";
  private static final Pattern RUNNING = Pattern.compile("keep|end|recreate");

  private final Caller caller;
  private final Bodies bodies;
  private final Fleet fleet;
  private final Registrations registrations;
  private final AuditedAction audited;

  HostResource(
      Caller caller,
      Bodies bodies,
      Fleet fleet,
      Registrations registrations,
      AuditedAction audited) {
    this.caller = caller;
    this.bodies = bodies;
    this.fleet = fleet;
    this.registrations = registrations;
    this.audited = audited;
  }

  @GET
  @Operation(
      operationId = "listHosts",
      summary = "List hosts with their load and health",
      description = "Each node's own machine is one; others are registered.")
  public Page<HostView> list() {
    var _ = caller.require(Role.OPERATOR);
    return Page.whole(fleet.hosts().stream().map(HostView::of).toList());
  }

  @GET
  @Path("{name}")
  @Operation(operationId = "getHost", summary = "Look at a host")
  public HostView get(@PathParam("name") String name) {
    var _ = caller.require(Role.OPERATOR);
    return fleet
        .find(name)
        .map(HostView::of)
        .orElseThrow(
            () ->
                new ProblemException(ErrorCode.NOT_FOUND, "there is no host '%s'".formatted(name)));
  }

  @POST
  @Operation(
      operationId = "registerHost",
      summary = "Register a place for sandboxes",
      description =
          "Its settings follow the extension's schema. Credentials are references, env:NAME or"
              + " file:/PATH, read at each call. It is tried within seconds; its health shows then.")
  @RequestBody(
      required = true,
      content =
          @Content(
              mediaType = MediaType.APPLICATION_JSON,
              schema = @Schema(implementation = HostRequests.NewHost.class),
              examples = @ExampleObject(name = "an engine", value = REGISTER_EXAMPLE)))
  @APIResponse(
      responseCode = "201",
      description = "Registered",
      content = @Content(schema = @Schema(implementation = HostView.class)))
  public Response register(InputStream stream) {
    var _ = caller.require(Role.ADMIN);
    audited.is("host.register");
    Host host = registrations.register(HostBody.registration(object(stream, REGISTER_EXAMPLE)));
    return Response.status(Response.Status.CREATED)
        .header("Location", "/v1/hosts/" + host.ref().id())
        .entity(HostView.of(host))
        .build();
  }

  @PATCH
  @Path("{name}")
  @Operation(
      operationId = "changeHost",
      summary = "Change a host",
      description = "What is in the body replaces the whole value; what is not stays.")
  @RequestBody(
      required = true,
      content =
          @Content(
              mediaType = MediaType.APPLICATION_JSON,
              schema = @Schema(implementation = HostRequests.Change.class),
              examples = @ExampleObject(name = "more room", value = CHANGE_EXAMPLE)))
  public HostView change(@PathParam("name") String name, InputStream stream) {
    var _ = caller.require(Role.ADMIN);
    audited.is("host.change");
    return HostView.of(registrations.change(name, HostBody.change(object(stream, CHANGE_EXAMPLE))));
  }

  @POST
  @Path("{name}/cordon")
  @Operation(
      operationId = "cordonHost",
      summary = "Let no new sandboxes onto a host",
      description = "What runs there goes on.")
  @RequestBody(required = false)
  public HostView cordon(@PathParam("name") String name) {
    return admit("host.cordon", name, Admission.CORDONED, Running.KEEP);
  }

  @POST
  @Path("{name}/uncordon")
  @Operation(
      operationId = "uncordonHost",
      summary = "Let sandboxes onto a host again",
      description = "Also ends a drain.")
  @RequestBody(required = false)
  public HostView uncordon(@PathParam("name") String name) {
    return admit("host.uncordon", name, Admission.OPEN, Running.KEEP);
  }

  @POST
  @Path("{name}/drain")
  @Operation(
      operationId = "drainHost",
      summary = "Empty a host",
      description =
          "No new sandboxes; running says what becomes of those that are there. Without a body they"
              + " go on.")
  @RequestBody(
      required = false,
      content =
          @Content(
              mediaType = MediaType.APPLICATION_JSON,
              schema = @Schema(implementation = HostRequests.Drain.class),
              examples = @ExampleObject(name = "move", value = DRAIN_EXAMPLE)))
  public HostView drain(@PathParam("name") String name, InputStream stream) {
    var _ = caller.require(Role.OPERATOR);
    byte[] bytes = bodies.bytes(stream);
    Running running =
        bytes.length == 0
            ? Running.KEEP
            : bodies
                .object(bytes, Example.of(DRAIN_EXAMPLE))
                .only("running")
                .optionalText("running", RUNNING, "keep, end or recreate")
                .map(text -> Running.valueOf(text.toUpperCase(Locale.ROOT)))
                .orElse(Running.KEEP);
    return admit("host.drain", name, Admission.DRAINING, running);
  }

  private HostView admit(String action, String name, Admission admission, Running running) {
    var _ = caller.require(Role.OPERATOR);
    audited.is(action);
    return HostView.of(registrations.admit(name, admission, running));
  }

  @DELETE
  @Path("{name}")
  @Operation(
      operationId = "removeHost",
      summary = "Remove a host",
      description =
          "Refused while it holds sandboxes or their remains, unless force is true: then they end,"
              + " and what they made is still cleaned up.")
  @APIResponse(responseCode = "204", description = "Removed")
  public Response remove(
      @PathParam("name") String name,
      @Parameter(description = "also while it holds something")
          @QueryParam("force")
          @DefaultValue("false")
          boolean force) {
    var _ = caller.require(Role.ADMIN);
    audited.is("host.remove");
    registrations.remove(name, force);
    return Response.noContent().build();
  }

  private Body object(InputStream stream, String example) {
    return bodies.object(bodies.bytes(stream), Example.of(example));
  }
}
