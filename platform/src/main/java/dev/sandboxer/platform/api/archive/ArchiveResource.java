package dev.sandboxer.platform.api.archive;

import dev.sandboxer.platform.access.Principal;
import dev.sandboxer.platform.api.AuditedAction;
import dev.sandboxer.platform.api.Bodies;
import dev.sandboxer.platform.api.Caller;
import dev.sandboxer.platform.api.Page;
import dev.sandboxer.platform.api.PageLimit;
import dev.sandboxer.platform.archive.ArchiveUpload;
import dev.sandboxer.platform.archive.Archives;
import dev.sandboxer.platform.archive.StoredArchive;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.platform.quota.Asked;
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
import org.eclipse.microprofile.openapi.annotations.enums.SchemaType;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.ExampleObject;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/** {@code /v1/archives}. */
@Path("/v1/archives")
@Produces(MediaType.APPLICATION_JSON)
@RunOnVirtualThread
@Tag(name = "archives")
public class ArchiveResource {

  private static final Duration LONGEST = Duration.ofMinutes(10);

  private final Caller caller;
  private final Bodies bodies;
  private final Archives archives;
  private final AuditedAction audited;

  ArchiveResource(Caller caller, Bodies bodies, Archives archives, AuditedAction audited) {
    this.caller = caller;
    this.bodies = bodies;
    this.archives = archives;
    this.audited = audited;
  }

  @POST
  @Operation(
      operationId = "addArchive",
      summary = "Upload an archive that sandboxes are made of",
      description =
          "At most 64 MiB, in ten minutes. The same bytes are stored once. It is kept for a day, and"
              + " as long as a sandbox has it. What it holds is looked at when a sandbox is made of"
              + " it.")
  @RequestBody(
      required = true,
      content =
          @Content(
              mediaType = MediaType.APPLICATION_OCTET_STREAM,
              schema = @Schema(type = SchemaType.STRING, format = "binary"),
              examples = @ExampleObject(name = "tar", value = "the bytes of a tar or tar.gz")))
  @APIResponse(
      responseCode = "201",
      description = "Stored, or known already",
      content = @Content(schema = @Schema(implementation = ArchiveView.class)))
  public Response add(
      InputStream stream,
      @Parameter(description = "what the bytes must be, as sha256: and 64 hexadecimal digits")
          @QueryParam("digest")
          @Nullable String digest) {
    Principal principal = own();
    audited.is("archive.add");
    if (digest != null && !StoredArchive.isDigest(digest)) {
      throw new ProblemException(
          ErrorCode.VALIDATION,
          "digest '%s' must be sha256: and 64 lower case hexadecimal digits".formatted(digest));
    }
    try (ArchiveUpload upload = archives.begin(new Asked(principal.tenantId(), null, null))) {
      bodies.copy(stream, upload, Archives.MOST_BYTES, LONGEST);
      StoredArchive archive = upload.end(Optional.ofNullable(digest), Archives.KEPT_UPLOAD);
      audited.scope("archive", archive.digest());
      return Response.status(Response.Status.CREATED)
          .header("Location", "/v1/archives/" + archive.digest())
          .entity(ArchiveView.of(archive))
          .build();
    }
  }

  @GET
  @Operation(operationId = "listArchives", summary = "List archives by their digests")
  public Page<ArchiveView> list(
      @Parameter(description = "1 to 1000, 50 by default") @QueryParam("limit")
          @Nullable String limit,
      @Parameter(description = "next_cursor of the page before")
          @QueryParam("cursor")
          @DefaultValue("")
          String cursor) {
    int most = PageLimit.of(limit);
    return Page.of(
        most,
        archives.list(own().tenantId(), cursor, most + 1),
        ArchiveView::of,
        StoredArchive::digest);
  }

  @GET
  @Path("{digest}")
  @Operation(
      operationId = "getArchive",
      summary = "Look at an archive",
      description = "So that what is there already need not be uploaded.")
  public ArchiveView get(@PathParam("digest") String digest) {
    return archives
        .find(own().tenantId(), digest)
        .map(ArchiveView::of)
        .orElseThrow(
            () ->
                new ProblemException(
                    ErrorCode.NOT_FOUND, "there is no archive '%s'".formatted(digest)));
  }

  @DELETE
  @Path("{digest}")
  @Operation(
      operationId = "deleteArchive",
      summary = "Remove an archive",
      description = "Refused while a sandbox has it.")
  @APIResponse(responseCode = "204", description = "Removed")
  public Response delete(@PathParam("digest") String digest) {
    Principal principal = own();
    audited.is("archive.delete").scope("archive", digest);
    archives.delete(principal.tenantId(), digest);
    return Response.noContent().build();
  }

  /** Archives are for all sandboxes of a tenant, and so for keys that may use all. */
  private Principal own() {
    return caller.ofWholeTenant("archives");
  }
}
