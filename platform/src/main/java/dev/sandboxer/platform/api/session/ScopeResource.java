package dev.sandboxer.platform.api.session;

import dev.sandboxer.platform.api.AuditedAction;
import dev.sandboxer.platform.api.Caller;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.platform.session.Party;
import dev.sandboxer.platform.session.Scope;
import dev.sandboxer.platform.session.ScopeType;
import dev.sandboxer.platform.session.Sessions;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.util.Optional;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;

/** {@code /v1/sandbox/scopes}: a thread or run is over, and everything bound to it. */
@Path("/v1/sandbox/scopes")
@Produces(MediaType.APPLICATION_JSON)
@RunOnVirtualThread
@Tag(name = "sessions")
public class ScopeResource {

  private final Caller caller;
  private final AuditedAction audited;
  private final Sessions sessions;

  ScopeResource(Caller caller, AuditedAction audited, Sessions sessions) {
    this.caller = caller;
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
    Party party = Party.of(caller.principal(), Optional.empty(), Optional.empty());
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
        sessions.endScope(party, new Scope(known, id)));
  }

  /** What came to an end. */
  @Schema(
      name = "ScopeEnded",
      requiredProperties = {"scope", "ended_sessions"})
  record Ended(SessionReply.ScopePart scope, int endedSessions) {}
}
