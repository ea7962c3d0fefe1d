package dev.sandboxer.platform.api.volume;

import dev.sandboxer.platform.access.Principal;
import dev.sandboxer.platform.access.Role;
import dev.sandboxer.platform.api.AuditedAction;
import dev.sandboxer.platform.api.Bodies;
import dev.sandboxer.platform.api.Caller;
import dev.sandboxer.platform.api.Example;
import dev.sandboxer.platform.api.Page;
import dev.sandboxer.platform.api.PageLimit;
import dev.sandboxer.platform.volume.NewVolume;
import dev.sandboxer.platform.volume.Volume;
import dev.sandboxer.platform.volume.VolumePlace;
import dev.sandboxer.platform.volume.Volumes;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.io.InputStream;
import java.time.Duration;
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

/** {@code /v1/volumes}. */
@Path("/v1/volumes")
@Produces(MediaType.APPLICATION_JSON)
@RunOnVirtualThread
@Tag(name = "volumes")
public class VolumeResource {

  /** For a volume that another node makes. */
  private static final Duration WAIT = Duration.ofSeconds(20);

  private final Caller caller;
  private final Bodies bodies;
  private final Volumes volumes;
  private final VolumePlaces places;
  private final AuditedAction audited;

  VolumeResource(
      Caller caller, Bodies bodies, Volumes volumes, VolumePlaces places, AuditedAction audited) {
    this.caller = caller;
    this.bodies = bodies;
    this.volumes = volumes;
    this.places = places;
    this.audited = audited;
  }

  @POST
  @Operation(
      operationId = "createVolume",
      summary = "Make a volume, which outlives the sandboxes that mount it",
      description =
          "It stays with one backend on one host, and sandboxes that mount it are made there. Its"
              + " space is reserved at once.")
  @RequestBody(
      required = true,
      content =
          @Content(
              mediaType = MediaType.APPLICATION_JSON,
              schema = @Schema(implementation = VolumeBody.class),
              examples = @ExampleObject(name = "plain", value = VolumeBody.EXAMPLE)))
  @APIResponse(
      responseCode = "201",
      description = "Made, or recorded and still being made",
      content = @Content(schema = @Schema(implementation = VolumeView.class)))
  public Response create(InputStream stream) {
    Principal principal = own();
    audited.is("volume.create");
    VolumeBody.Read wanted =
        VolumeBody.read(bodies.object(bodies.bytes(stream), Example.of(VolumeBody.EXAMPLE)));
    audited.scope("volume", wanted.name());
    VolumePlace place = places.of(wanted, principal);
    Volume volume =
        volumes.create(
            new NewVolume(principal.tenantId(), wanted.name(), wanted.sizeBytes(), null),
            place,
            WAIT);
    return Response.status(Response.Status.CREATED)
        .header("Location", "/v1/volumes/" + volume.name())
        .entity(VolumeView.of(volume))
        .build();
  }

  @GET
  @Operation(operationId = "listVolumes", summary = "List volumes by their names")
  public Page<VolumeView> list(
      @Parameter(description = "1 to 1000, 50 by default") @QueryParam("limit")
          @Nullable String limit,
      @Parameter(description = "next_cursor of the page before")
          @QueryParam("cursor")
          @DefaultValue("")
          String cursor) {
    Principal principal = own();
    int most = PageLimit.of(limit);
    return Page.of(
        most, volumes.list(principal.tenantId(), cursor, most + 1), VolumeView::of, Volume::name);
  }

  @GET
  @Path("{name}")
  @Operation(
      operationId = "getVolume",
      summary = "Look at a volume, what is taken of it and who has it")
  public VolumeView get(@PathParam("name") String name) {
    return VolumeView.of(volumes.show(own().tenantId(), name));
  }

  @DELETE
  @Path("{name}")
  @Operation(
      operationId = "deleteVolume",
      summary = "Remove a volume with its contents",
      description =
          "Refused while a sandbox has it. Where the backend does not answer, the volume stays"
              + " recorded as removing, and that is tried until it is done.")
  @APIResponse(responseCode = "204", description = "Removed")
  @APIResponse(
      responseCode = "202",
      description = "It is being removed",
      content = @Content(schema = @Schema(implementation = VolumeView.class)))
  public Response delete(
      @PathParam("name") String name,
      @Parameter(
              description =
                  "for operators: also forget it if its backend does not answer now, which may"
                      + " leave it there")
          @QueryParam("forget")
          @DefaultValue("false")
          boolean forget) {
    Principal principal = own();
    if (forget) {
      var _ = caller.require(Role.OPERATOR);
    }
    audited.is(forget ? "volume.forget" : "volume.delete").scope("volume", name);
    Optional<Volume> left = volumes.delete(principal.tenantId(), name);
    if (left.isPresent() && forget) {
      volumes.forget(principal.tenantId(), name);
      left = Optional.empty();
    }
    return left.map(volume -> Response.accepted(VolumeView.of(volume)).build())
        .orElseGet(() -> Response.noContent().build());
  }

  /** Volumes are for all sandboxes of a tenant, and so for keys that may use all. */
  private Principal own() {
    return caller.ofWholeTenant("volumes");
  }
}
