package dev.sandboxer.platform.api.grant;

import dev.sandboxer.platform.access.Principal;
import dev.sandboxer.platform.api.AuditedAction;
import dev.sandboxer.platform.api.Bodies;
import dev.sandboxer.platform.api.Body;
import dev.sandboxer.platform.api.Caller;
import dev.sandboxer.platform.api.Example;
import dev.sandboxer.platform.api.IdempotentCreates;
import dev.sandboxer.platform.api.IgnoredFields;
import dev.sandboxer.platform.api.SessionRateLimits;
import dev.sandboxer.platform.api.Wait;
import dev.sandboxer.platform.boot.PublicAddress;
import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.session.Acquire;
import dev.sandboxer.platform.session.Granted;
import dev.sandboxer.platform.session.OnBehalfOf;
import dev.sandboxer.platform.session.ProtocolDialect;
import dev.sandboxer.platform.session.RequestedSession;
import dev.sandboxer.platform.session.Sessions;
import dev.sandboxer.platform.token.TokenClaims;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.io.InputStream;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Pattern;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.ExampleObject;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/** {@code /sandbox}: the negotiation that the server drives. */
@Path("/sandbox")
@Produces(MediaType.APPLICATION_JSON)
@RunOnVirtualThread
@Tag(name = "grants")
public class GrantResource {

  private static final Duration DEFAULT_WAIT = Duration.ofSeconds(30);
  private static final Pattern ID = Pattern.compile("[^\\p{Cntrl}]{1,256}");
  private static final String ID_WANTED = "1 to 256 characters without control characters";
  private static final String ACQUIRE =
      "{\"thread_id\": \"th-xyz\", \"assistant_id\": \"asst-1\", \"run_id\": \"run-7\"}";
  private static final String REFRESH = "{\"token\": \"eyJ0eXAi...\"}";
  private static final String RELEASE = "{\"session_id\": \"ssn_k3v9a0q7x2m5n8b1c4d6\"}";

  private final Caller caller;
  private final Bodies bodies;
  private final IdempotentCreates creates;
  private final AuditedAction audited;
  private final SessionRateLimits limits;
  private final Acquire acquire;
  private final Sessions sessions;
  private final PresentToken present;
  private final PublicAddress address;

  GrantResource(
      Caller caller,
      Bodies bodies,
      IdempotentCreates creates,
      AuditedAction audited,
      SessionRateLimits limits,
      Acquire acquire,
      Sessions sessions,
      PresentToken present,
      PublicAddress address) {
    this.caller = caller;
    this.bodies = bodies;
    this.creates = creates;
    this.audited = audited;
    this.limits = limits;
    this.acquire = acquire;
    this.sessions = sessions;
    this.present = present;
    this.address = address;
  }

  @POST
  @Path("acquire")
  @Operation(
      operationId = "acquireSandbox",
      summary = "Get a grant for the sandbox that the server binds to this thread",
      description =
          "Made on the first call, the same with a fresh token after that. Which of thread,"
              + " assistant, user or run it is bound to is the server's configuration.")
  @RequestBody(
      required = true,
      content =
          @Content(
              mediaType = MediaType.APPLICATION_JSON,
              schema = @Schema(implementation = AcquireRequest.class),
              examples = @ExampleObject(name = "a run", value = ACQUIRE)))
  @APIResponse(
      responseCode = "200",
      description = "A grant",
      content = @Content(schema = @Schema(implementation = GrantReply.class)))
  public Response acquire(
      InputStream stream,
      @HeaderParam("Prefer") @Nullable String prefer,
      @HeaderParam(IdempotentCreates.HEADER) @Nullable String key)
      throws InterruptedException {
    Principal principal = caller.principal();
    audited.givesToken("grant.acquire");
    Optional<Wait> wait = Wait.of(prefer);
    byte[] bytes = bodies.bytes(stream);
    IgnoredFields ignored = new IgnoredFields();
    Body body =
        ignored.of(
            bodies.object(bytes, Example.of(ACQUIRE)),
            "thread_id",
            "assistant_id",
            "user_id",
            "run_id");
    Acquire.Request request =
        new Acquire.Request(
            body.text("thread_id", ID, ID_WANTED),
            body.optionalText("assistant_id", ID, ID_WANTED),
            body.optionalText("run_id", ID, ID_WANTED));
    OnBehalfOf onBehalfOf =
        limits.counted(
            OnBehalfOf.of(
                principal, Optional.empty(), body.optionalText("user_id", ID, ID_WANTED)));
    RequestedSession asked =
        acquire.requested(
            onBehalfOf,
            request,
            creates.key(principal, "POST /sandbox/acquire", key, bytes),
            wait.map(Wait::limit).orElse(DEFAULT_WAIT),
            ignored.warnings());
    audited.scope(asked.scope().type().text(), asked.scope().id());
    Granted granted = sessions.negotiate(asked);
    Response.ResponseBuilder reply = reply(granted);
    wait.ifPresent(applied -> reply.header("Preference-Applied", applied.applied()));
    return IdempotentCreates.marked(reply, granted.replayed()).build();
  }

  @POST
  @Path("refresh")
  @Operation(
      operationId = "refreshGrant",
      summary = "Exchange a token that is still good for a new one",
      description =
          "Wants the key that acquired the grant, and the present token: as 'token' in the body,"
              + " or as Authorization beside the key as X-API-KEY. Refused once session, thread or"
              + " run have ended.")
  @RequestBody(
      content =
          @Content(
              mediaType = MediaType.APPLICATION_JSON,
              schema = @Schema(implementation = RefreshRequest.class),
              examples = @ExampleObject(name = "in the body", value = REFRESH)))
  @APIResponse(
      responseCode = "200",
      description = "The grant with a new token",
      content = @Content(schema = @Schema(implementation = GrantReply.class)))
  public Response refresh(
      InputStream stream, @HeaderParam("Authorization") @Nullable String authorization) {
    Principal principal = caller.principal();
    audited.givesToken("grant.refresh");
    byte[] bytes = bodies.bytes(stream);
    IgnoredFields ignored = new IgnoredFields();
    Optional<String> token =
        bytes.length == 0
            ? Optional.empty()
            : ignored
                .of(bodies.object(bytes, Example.of(REFRESH)), "token")
                .optionalText("token", PresentToken.FORM, "the present token");
    OnBehalfOf onBehalfOf =
        limits.counted(OnBehalfOf.of(principal, Optional.empty(), Optional.empty()));
    TokenClaims claims = present.check(token, authorization);
    audited
        .session(claims.sessionId())
        .sandbox(claims.sandboxId().publicId())
        .user(claims.subject());
    Granted renewed = sessions.renew(acting(onBehalfOf, claims), claims);
    return reply(renewed.warning(ignored.warnings())).build();
  }

  /** The token goes on saying for whom it is: who that was, was checked when it was acquired. */
  private static OnBehalfOf acting(OnBehalfOf onBehalfOf, TokenClaims claims) {
    return new OnBehalfOf(onBehalfOf.principal(), claims.subject(), null);
  }

  @POST
  @Path("release")
  @Produces({MediaType.APPLICATION_JSON, "application/problem+json"})
  @Operation(
      operationId = "releaseGrant",
      summary = "End a grant's session, and its sandbox; repeatable")
  @RequestBody(
      required = true,
      content =
          @Content(
              mediaType = MediaType.APPLICATION_JSON,
              schema = @Schema(implementation = ReleaseRequest.class),
              examples = @ExampleObject(name = "by session", value = RELEASE)))
  @APIResponse(responseCode = "204", description = "Ended")
  public Response release(InputStream stream) {
    OnBehalfOf onBehalfOf = OnBehalfOf.of(caller.principal(), Optional.empty(), Optional.empty());
    audited.is("grant.release");
    Body body = bodies.object(bodies.bytes(stream), Example.of(RELEASE));
    Optional<String> session = body.optionalText("session_id", ID, ID_WANTED);
    Optional<String> sandbox = body.optionalText("sandbox_id", ID, ID_WANTED);
    if (session.isPresent() == sandbox.isPresent()) {
      throw body.invalid("send either 'session_id' or 'sandbox_id' of the grant");
    }
    audited.session(session.orElse(null)).sandbox(sandbox.orElse(null));
    session.ifPresent(id -> sessions.release(onBehalfOf, ProtocolDialect.SHORT, id));
    sandbox.ifPresent(
        id ->
            sessions.releaseSandbox(
                onBehalfOf, SandboxId.parse(id).map(SandboxId::raw).orElse(id)));
    return Response.noContent().build();
  }

  private Response.ResponseBuilder reply(Granted granted) {
    String sandbox = granted.session().sandbox().publicId();
    audited.session(granted.session().id()).sandbox(sandbox);
    return Response.ok(GrantReply.of(granted, address.ofSandbox(sandbox)))
        .header("Cache-Control", "no-store");
  }

  @Schema(
      name = "AcquireSandbox",
      requiredProperties = {"thread_id"})
  record AcquireRequest(
      String threadId,
      Optional<String> assistantId,
      @Schema(description = "on whose behalf; only keys with role delegate may name others")
          Optional<String> userId,
      Optional<String> runId) {}

  @Schema(name = "RefreshGrant")
  record RefreshRequest(Optional<String> token) {}

  @Schema(name = "ReleaseGrant")
  record ReleaseRequest(Optional<String> sessionId, Optional<String> sandboxId) {}
}
