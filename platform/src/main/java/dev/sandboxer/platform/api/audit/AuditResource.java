package dev.sandboxer.platform.api.audit;

import static org.eclipse.microprofile.openapi.annotations.enums.ParameterIn.QUERY;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.platform.access.Principal;
import dev.sandboxer.platform.access.Role;
import dev.sandboxer.platform.api.Caller;
import dev.sandboxer.platform.api.Page;
import dev.sandboxer.platform.audit.AuditEntry;
import dev.sandboxer.platform.audit.AuditTrail;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.UriInfo;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/** {@code /v1/audit}, for operators: their own tenant's; administrators see all. */
@Path("/v1/audit")
@RunOnVirtualThread
@Tag(name = "audit")
public class AuditResource {

  private static final String CSV = "text/csv";
  private static final String LINES = "application/x-ndjson";

  private final Caller caller;
  private final AuditTrail trail;
  private final ObjectMapper json;

  AuditResource(Caller caller, AuditTrail trail, ObjectMapper json) {
    this.caller = caller;
    this.trail = trail;
    this.json = json;
  }

  @GET
  @Produces({MediaType.APPLICATION_JSON, CSV, LINES})
  @Operation(
      operationId = "listAudit",
      summary = "Who did, or was refused, what; newest first",
      description =
          "With 'Accept: text/csv' or 'application/x-ndjson' as a file; the next page's cursor is"
              + " then in the header Next-Cursor.")
  @Parameter(in = QUERY, name = "limit", description = "1 to 1000, 50 by default")
  @Parameter(in = QUERY, name = "cursor", description = "next_cursor of the page before")
  @Parameter(in = QUERY, name = "from", description = "earliest instant, RFC 3339")
  @Parameter(in = QUERY, name = "to", description = "instant before which, RFC 3339")
  @Parameter(in = QUERY, name = "action", description = "such as session.ensure")
  @Parameter(in = QUERY, name = "result", description = "ok, or an error's code")
  @APIResponse(
      responseCode = "200",
      description = "A page of entries",
      content =
          @Content(
              mediaType = MediaType.APPLICATION_JSON,
              schema = @Schema(implementation = AuditPage.class)))
  public Response list(@Context UriInfo uri, @HeaderParam("Accept") @Nullable String accept) {
    Principal principal = caller.require(Role.OPERATOR);
    AuditTrail.Filter filter = AuditQuery.read(principal, uri.getQueryParameters());
    List<AuditEntry> found = trail.list(more(filter));
    List<AuditEntry> page = found.subList(0, Math.min(found.size(), filter.limit()));
    String next = found.size() > page.size() ? Long.toString(page.getLast().id()) : null;
    return reply(page.stream().map(AuditView::of).toList(), next, accept == null ? "" : accept);
  }

  private static AuditTrail.Filter more(AuditTrail.Filter filter) {
    return new AuditTrail.Filter(
        filter.equal(), filter.from(), filter.to(), filter.before(), filter.limit() + 1);
  }

  private Response reply(List<AuditView> entries, @Nullable String next, String accept) {
    if (accept.contains(CSV)) {
      StringBuilder text = new StringBuilder(AuditView.CSV_HEAD);
      entries.forEach(entry -> text.append(entry.csv()));
      return file(text, CSV, next);
    }
    if (accept.contains(LINES)) {
      StringBuilder text = new StringBuilder();
      entries.forEach(entry -> text.append(line(entry)).append('\n'));
      return file(text, LINES, next);
    }
    return Response.ok(new Page<>(entries, next), MediaType.APPLICATION_JSON_TYPE).build();
  }

  private static Response file(StringBuilder text, String type, @Nullable String next) {
    Response.ResponseBuilder reply = Response.ok(text.toString(), type + ";charset=UTF-8");
    return (next == null ? reply : reply.header("Next-Cursor", next)).build();
  }

  private String line(AuditView entry) {
    try {
      return json.writeValueAsString(entry);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("an audit entry could not be written as JSON", e);
    }
  }

  @Schema(name = "AuditPage")
  record AuditPage(List<AuditView> items, @Nullable String nextCursor) {}
}
