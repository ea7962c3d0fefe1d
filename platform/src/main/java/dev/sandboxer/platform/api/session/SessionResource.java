package dev.sandboxer.platform.api.session;

import dev.sandboxer.platform.access.Principal;
import dev.sandboxer.platform.api.AuditedAction;
import dev.sandboxer.platform.api.Bodies;
import dev.sandboxer.platform.api.Body;
import dev.sandboxer.platform.api.Caller;
import dev.sandboxer.platform.api.IdempotentCreates;
import dev.sandboxer.platform.api.IgnoredFields;
import dev.sandboxer.platform.api.SessionRateLimits;
import dev.sandboxer.platform.api.Wait;
import dev.sandboxer.platform.boot.PublicAddress;
import dev.sandboxer.platform.session.Granted;
import dev.sandboxer.platform.session.OnBehalfOf;
import dev.sandboxer.platform.session.ProtocolDialect;
import dev.sandboxer.platform.session.RequestedSession;
import dev.sandboxer.platform.session.SessionRow;
import dev.sandboxer.platform.session.Sessions;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.io.InputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.ExampleObject;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/** {@code /v1/sandbox/sessions}: the session access protocol. */
@Path("/v1/sandbox/sessions")
@Produces(MediaType.APPLICATION_JSON)
@RunOnVirtualThread
@Tag(name = "sessions")
public class SessionResource {

  private static final Duration DEFAULT_WAIT = Duration.ofSeconds(30);
  private static final String ROUTE = "POST /v1/sandbox/sessions";

  private final Caller caller;
  private final Bodies bodies;
  private final IdempotentCreates creates;
  private final Sessions sessions;
  private final PublicAddress address;
  private final AuditedAction audited;
  private final SessionRateLimits limits;

  SessionResource(
      Caller caller,
      Bodies bodies,
      IdempotentCreates creates,
      Sessions sessions,
      PublicAddress address,
      AuditedAction audited,
      SessionRateLimits limits) {
    this.audited = audited;
    this.limits = limits;
    this.caller = caller;
    this.bodies = bodies;
    this.creates = creates;
    this.sessions = sessions;
    this.address = address;
  }

  @POST
  @Operation(
      operationId = "negotiateSession",
      summary = "Find or make the session of a scope, and get a token",
      description =
          "The short shape names a thread, the full one a scope. 'ensure' waits up to 'Prefer:"
              + " wait=N' (30 s by default), then answers 423 with Retry-After.")
  @RequestBody(
      required = true,
      content =
          @Content(
              mediaType = MediaType.APPLICATION_JSON,
              schema = @Schema(implementation = SessionBodies.Negotiate.class),
              examples = {
                @ExampleObject(
                    name = "short",
                    value = "{\"thread_id\": \"thr_123\", \"mode\": \"ensure\"}"),
                @ExampleObject(
                    name = "full",
                    value =
                        "{\"scope\": {\"type\": \"thread\", \"id\": \"thr_123\"}, \"mode\":"
                            + " \"ensure\", \"requested_capabilities\": [\"fs_read\", \"exec\"],"
                            + " \"provider_preference\": \"auto\"}")
              }))
  @APIResponse(
      responseCode = "200",
      description = "A live session with a fresh token",
      content = @Content(schema = @Schema(implementation = SessionReply.class)))
  public Response negotiate(
      InputStream stream,
      @HeaderParam("Prefer") @Nullable String prefer,
      @HeaderParam(IdempotentCreates.HEADER) @Nullable String key)
      throws InterruptedException {
    Principal principal = caller.principal();
    Optional<Wait> wait = Wait.of(prefer);
    byte[] bytes = bodies.bytes(stream);
    audited.givesToken("session.negotiate");
    SessionRequest request = new SessionRequest(bodies.object(bytes, SessionRequest.EXAMPLE));
    RequestedSession asked =
        request.requested(
            principal,
            creates.key(principal, ROUTE, key, bytes),
            wait.map(Wait::limit).orElse(DEFAULT_WAIT));
    audited
        .is("session." + asked.mode().name().toLowerCase(Locale.ROOT))
        .scope(asked.scope().type().text(), asked.scope().id());
    limits.counted(asked.onBehalfOf());
    Granted granted = sessions.negotiate(asked);
    String sandbox = granted.session().sandbox().publicId();
    audited.session(granted.session().id()).sandbox(sandbox);
    Response.ResponseBuilder reply =
        Response.ok(SessionReply.of(granted, address.ofSandbox(sandbox)))
            .header("Cache-Control", "no-store");
    wait.ifPresent(applied -> reply.header("Preference-Applied", applied.applied()));
    return IdempotentCreates.marked(reply, granted.replayed()).build();
  }

  @GET
  @Path("{id}")
  @Operation(operationId = "getSession", summary = "Look at a session; without a token")
  public Look get(@PathParam("id") String id) {
    audited.isIfRefused("session.look").session(id);
    SessionRow session = sessions.find(onBehalfOf(), ProtocolDialect.FULL, id);
    return new Look(
        SessionReply.BindingPart.of(session, session.leaseUntil()),
        SessionReply.DataplanePart.of(address.ofSandbox(session.sandbox().publicId())),
        SessionReply.PolicyPart.of(session));
  }

  @POST
  @Path("{id}/refresh")
  @Operation(operationId = "refreshSession", summary = "Get a new token")
  @RequestBody(
      required = false,
      content =
          @Content(
              mediaType = MediaType.APPLICATION_JSON,
              schema = @Schema(implementation = SessionBodies.Refresh.class),
              examples = @ExampleObject(name = "as before", value = "{}")))
  @APIResponse(
      responseCode = "200",
      description = "A fresh token with no more capabilities than before",
      content = @Content(schema = @Schema(implementation = Refreshed.class)))
  public Response refresh(@PathParam("id") String id, InputStream stream) {
    return refreshed(id, stream, ProtocolDialect.SHORT);
  }

  @POST
  @Path("{id}/refresh-token")
  @Operation(
      operationId = "refreshSessionToken",
      summary = "Get a new token; the same as refresh, in the full shape")
  @RequestBody(
      required = false,
      content =
          @Content(
              mediaType = MediaType.APPLICATION_JSON,
              schema = @Schema(implementation = SessionBodies.Refresh.class),
              examples = @ExampleObject(name = "as before", value = "{}")))
  @APIResponse(
      responseCode = "200",
      description = "A fresh token with no more capabilities than before",
      content = @Content(schema = @Schema(implementation = Refreshed.class)))
  public Response refreshToken(@PathParam("id") String id, InputStream stream) {
    return refreshed(id, stream, ProtocolDialect.FULL);
  }

  private Response refreshed(String id, InputStream stream, ProtocolDialect dialect) {
    audited.givesToken("session.refresh").session(id);
    IgnoredFields ignored = new IgnoredFields();
    Granted granted = sessions.refresh(limits.counted(onBehalfOf(stream, ignored)), dialect, id);
    audited.sandbox(granted.session().sandbox().publicId());
    return Response.ok(
            new Refreshed(
                granted.token().value(),
                granted.token().expiresAt(),
                SessionReply.CredentialsPart.of(granted),
                ignored.warnings()))
        .header("Cache-Control", "no-store")
        .build();
  }

  @POST
  @Path("{id}/heartbeat")
  @Operation(
      operationId = "heartbeatSession",
      summary = "Prolong the lease",
      description =
          "From the first one on the session ends 120 s after the last, or with its token")
  @RequestBody(
      required = false,
      content =
          @Content(
              mediaType = MediaType.APPLICATION_JSON,
              schema = @Schema(implementation = SessionBodies.Refresh.class),
              examples = @ExampleObject(name = "plain", value = "{}")))
  @APIResponse(
      responseCode = "200",
      description = "Alive",
      content = @Content(schema = @Schema(implementation = Alive.class)))
  public Alive heartbeat(@PathParam("id") String id, InputStream stream) {
    audited.isIfRefused("session.heartbeat").session(id);
    IgnoredFields ignored = new IgnoredFields();
    Sessions.Beat beat = sessions.heartbeat(onBehalfOf(stream, ignored), id);
    return new Alive(
        new Alive.Part(id, beat.session().phase().session(), beat.leaseUntil()),
        SessionReply.PolicyPart.of(beat.session()),
        ignored.warnings());
  }

  @DELETE
  @Path("{id}")
  @Produces({MediaType.APPLICATION_JSON, "application/problem+json"})
  @Operation(
      operationId = "releaseSession",
      summary = "End a session, and its sandbox if that was made for it; repeatable")
  @APIResponse(responseCode = "204", description = "Ended")
  public Response release(@PathParam("id") String id) {
    audited.is("session.release").session(id);
    SessionRow session = sessions.release(onBehalfOf(), ProtocolDialect.SHORT, id);
    audited
        .scope(session.scope().type().text(), session.scope().id())
        .sandbox(session.sandbox().publicId());
    return Response.noContent().build();
  }

  private OnBehalfOf onBehalfOf() {
    return OnBehalfOf.of(caller.principal(), Optional.empty(), Optional.empty());
  }

  private OnBehalfOf onBehalfOf(InputStream stream, IgnoredFields ignored) {
    byte[] bytes = bodies.bytes(stream);
    if (bytes.length == 0) {
      return onBehalfOf();
    }
    Body body = ignored.of(bodies.object(bytes, Map.of()), "actor", "user_id");
    return OnBehalfOf.of(
        caller.principal(),
        SessionRequest.actor(body, ignored),
        body.optionalText("user_id", SessionRequest.ID, SessionRequest.ID_WANTED));
  }

  /** A session without a token. */
  @Schema(
      name = "SessionLook",
      requiredProperties = {"binding", "dataplane", "policy"})
  record Look(
      SessionReply.BindingPart binding,
      SessionReply.DataplanePart dataplane,
      SessionReply.PolicyPart policy) {}

  /** A new token in both shapes. */
  @Schema(
      name = "RefreshedToken",
      requiredProperties = {"token", "expires_at", "credentials", "warnings"})
  record Refreshed(
      String token,
      Instant expiresAt,
      SessionReply.CredentialsPart credentials,
      List<String> warnings) {}

  /** An answered heartbeat. */
  @Schema(
      name = "Heartbeat",
      requiredProperties = {"binding", "policy", "warnings"})
  record Alive(Part binding, SessionReply.PolicyPart policy, List<String> warnings) {

    /** What of the binding a heartbeat tells. */
    @Schema(
        name = "HeartbeatBinding",
        requiredProperties = {"id", "state", "lease_expires_at"})
    record Part(String id, String state, Instant leaseExpiresAt) {}
  }
}
