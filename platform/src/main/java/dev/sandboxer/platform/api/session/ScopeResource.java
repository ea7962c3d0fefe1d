package dev.sandboxer.platform.api.session;

import dev.sandboxer.platform.api.AuditedAction;
import dev.sandboxer.platform.api.Bodies;
import dev.sandboxer.platform.api.Body;
import dev.sandboxer.platform.api.Caller;
import dev.sandboxer.platform.api.Example;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.platform.session.OnBehalfOf;
import dev.sandboxer.platform.session.Scope;
import dev.sandboxer.platform.session.ScopeType;
import dev.sandboxer.platform.session.Sessions;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.io.InputStream;
import java.util.Optional;
import java.util.regex.Pattern;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.ExampleObject;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;

/** {@code /v1/sandbox/scopes}: a thread or run is over, and everything bound to it. */
@Path("/v1/sandbox/scopes")
@Produces(MediaType.APPLICATION_JSON)
@RunOnVirtualThread
@Tag(name = "sessions")
public class ScopeResource {

  private static final String NAMED = "{\"type\": \"thread\", \"id\": \"thr_123\"}";
  private static final Pattern ANY = Pattern.compile("(?s).{1,64}");

  private final Caller caller;
  private final Bodies bodies;
  private final AuditedAction audited;
  private final Sessions sessions;

  ScopeResource(Caller caller, Bodies bodies, AuditedAction audited, Sessions sessions) {
    this.caller = caller;
    this.bodies = bodies;
    this.audited = audited;
    this.sessions = sessions;
  }

  @POST
  @Path("{type}/{id}/end")
  @Operation(
      operationId = "endScope",
      summary = "End a thread, run or other scope with everything bound to it; repeatable",
      description =
          "Its sessions end, with the sandboxes made for them. Where threads share a sandbox, that"
              + " goes on, but tokens of the ended thread or run are renewed no more.")
  public Ended end(@PathParam("type") String type, @PathParam("id") String id) {
    return ended(type, id);
  }

  @POST
  @Path("end")
  @Operation(
      operationId = "endNamedScope",
      summary = "End a scope that the body names",
      description =
          "For an id that cannot stand in a path, such as '.', '..' or one with a slash that a"
              + " proxy changes; else the same as the end of a scope by its path.")
  @RequestBody(
      required = true,
      content =
          @Content(
              mediaType = MediaType.APPLICATION_JSON,
              schema = @Schema(implementation = SessionReply.ScopePart.class),
              examples = @ExampleObject(name = "a thread", value = NAMED)))
  public Ended endNamed(InputStream stream) {
    Body scope = bodies.object(bodies.bytes(stream), Example.of(NAMED));
    return ended(
        scope.text("type", ANY, "a scope type"),
        scope.text("id", SessionRequest.ID, SessionRequest.ID_WANTED));
  }

  private Ended ended(String type, String id) {
    OnBehalfOf onBehalfOf = OnBehalfOf.of(caller.principal(), Optional.empty(), Optional.empty());
    ScopeType known =
        ScopeType.of(type)
            .orElseThrow(
                () ->
                    new ProblemException(
                        ErrorCode.VALIDATION,
                        "'%s' is no scope type; there are thread, workspace, assistant, deployment, user, run"
                            .formatted(type)));
    if (!SessionRequest.ID.matcher(id).matches()) {
      throw new ProblemException(
          ErrorCode.VALIDATION, "the scope's id must be " + SessionRequest.ID_WANTED);
    }
    audited.is("scope.end").scope(known.text(), id);
    return new Ended(
        new SessionReply.ScopePart(known.text(), id),
        sessions.endScope(onBehalfOf, new Scope(known, id)));
  }

  /** What came to an end. */
  @Schema(
      name = "ScopeEnded",
      requiredProperties = {"scope", "ended_sessions"})
  record Ended(SessionReply.ScopePart scope, int endedSessions) {}
}
