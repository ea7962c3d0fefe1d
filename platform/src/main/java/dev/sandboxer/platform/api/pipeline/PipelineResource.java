package dev.sandboxer.platform.api.pipeline;

import dev.sandboxer.platform.access.Principal;
import dev.sandboxer.platform.api.AuditedAction;
import dev.sandboxer.platform.api.Bodies;
import dev.sandboxer.platform.api.Caller;
import dev.sandboxer.platform.api.Example;
import dev.sandboxer.platform.api.Page;
import dev.sandboxer.platform.api.PageLimit;
import dev.sandboxer.platform.api.box.BoxFields;
import dev.sandboxer.platform.box.Boxes;
import dev.sandboxer.platform.mcp.McpBoxes;
import dev.sandboxer.platform.pipeline.Pipeline;
import dev.sandboxer.platform.pipeline.Pipelines;
import dev.sandboxer.platform.pipeline.StoredPipeline;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.ProblemException;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.io.InputStream;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.ExampleObject;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/** {@code /v1/pipelines}. */
@Path("/v1/pipelines")
@Produces(MediaType.APPLICATION_JSON)
@RunOnVirtualThread
@Tag(name = "pipelines")
public class PipelineResource {

  private final Caller caller;
  private final Bodies bodies;
  private final Pipelines pipelines;
  private final Boxes boxes;
  private final McpBoxes mcpBoxes;
  private final AuditedAction audited;

  PipelineResource(
      Caller caller,
      Bodies bodies,
      Pipelines pipelines,
      Boxes boxes,
      McpBoxes mcpBoxes,
      AuditedAction audited) {
    this.caller = caller;
    this.bodies = bodies;
    this.pipelines = pipelines;
    this.boxes = boxes;
    this.mcpBoxes = mcpBoxes;
    this.audited = audited;
  }

  @PUT
  @Path("{id}")
  @Operation(
      operationId = "putPipeline",
      summary = "Store what the boxes of a pipeline are made of",
      description =
          "In place of what was stored before. Living boxes stay as they are; a later request for one"
              + " that differs by then is refused, or recreates it, as on_change says.")
  @RequestBody(
      required = true,
      content =
          @Content(
              mediaType = MediaType.APPLICATION_JSON,
              schema = @Schema(implementation = PipelineBody.class),
              examples = @ExampleObject(name = "plain", value = PipelineBody.EXAMPLE)))
  @APIResponse(
      responseCode = "200",
      description = "Stored",
      content = @Content(schema = @Schema(implementation = PipelineView.class)))
  @APIResponse(
      responseCode = "201",
      description = "Stored for the first time",
      content = @Content(schema = @Schema(implementation = PipelineView.class)))
  public Response put(@PathParam("id") String id, InputStream stream) {
    Principal principal = own();
    if (!BoxFields.PIPELINE.matcher(id).matches()) {
      throw new ProblemException(
          ErrorCode.VALIDATION,
          "'%s' is no %s".formatted(id, BoxFields.PIPELINE_WANTED.substring(2)));
    }
    audited.is("pipeline.put").scope("pipeline", id);
    Pipeline pipeline =
        PipelineBody.read(
            bodies.object(bodies.bytes(stream), Example.of(PipelineBody.EXAMPLE)), id);
    boxes.check(principal.tenantId(), principal.keyId(), pipeline.boxSpec());
    if (!pipeline.mcpServers().isEmpty()) {
      boxes.check(principal.tenantId(), principal.keyId(), pipeline.mcpBoxSpec());
    }
    StoredPipeline stored = pipelines.put(principal.tenantId(), principal.keyId(), pipeline);
    return Response.status(stored.revision() == 1 ? 201 : 200)
        .entity(PipelineView.of(stored))
        .build();
  }

  @GET
  @Operation(operationId = "listPipelines", summary = "List pipelines by their ids")
  public Page<PipelineView> list(
      @Parameter(description = "1 to 1000, 50 by default") @QueryParam("limit")
          @Nullable String limit,
      @Parameter(description = "next_cursor of the page before")
          @QueryParam("cursor")
          @DefaultValue("")
          String cursor) {
    Principal principal = own();
    int most = PageLimit.of(limit);
    return Page.of(
        most,
        pipelines.list(principal.tenantId(), cursor, most + 1),
        PipelineView::of,
        last -> last.pipeline().id());
  }

  @GET
  @Path("{id}")
  @Operation(operationId = "getPipeline", summary = "Look at a pipeline")
  public PipelineView get(@PathParam("id") String id) {
    return pipelines
        .find(own().tenantId(), id)
        .map(PipelineView::of)
        .orElseThrow(() -> unknown(id));
  }

  @DELETE
  @Path("{id}")
  @Operation(
      operationId = "deletePipeline",
      summary = "Forget a pipeline",
      description = "The box of its MCP servers is destroyed; its other boxes stay until they end.")
  @APIResponse(responseCode = "204", description = "Forgotten")
  public Response delete(@PathParam("id") String id) throws InterruptedException {
    Principal principal = own();
    audited.is("pipeline.delete").scope("pipeline", id);
    StoredPipeline stored = pipelines.find(principal.tenantId(), id).orElseThrow(() -> unknown(id));
    // First the box: if this ends in between, the pipeline is still there to be deleted again.
    mcpBoxes.end(principal.tenantId(), stored.pipeline());
    if (!pipelines.delete(principal.tenantId(), id)) {
      throw unknown(id);
    }
    mcpBoxes.end(principal.tenantId(), stored.pipeline());
    return Response.noContent().build();
  }

  /** A pipeline is for all chats of a tenant, and so for keys that may use all. */
  private Principal own() {
    return caller.ofWholeTenant("pipelines");
  }

  private static ProblemException unknown(String id) {
    return new ProblemException(ErrorCode.NOT_FOUND, "there is no pipeline '%s'".formatted(id));
  }
}
