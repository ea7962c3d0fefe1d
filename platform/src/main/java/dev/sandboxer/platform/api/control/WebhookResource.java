package dev.sandboxer.platform.api.control;

import dev.sandboxer.platform.access.Principal;
import dev.sandboxer.platform.access.Role;
import dev.sandboxer.platform.api.AuditedAction;
import dev.sandboxer.platform.api.Bodies;
import dev.sandboxer.platform.api.Body;
import dev.sandboxer.platform.api.Caller;
import dev.sandboxer.platform.api.Example;
import dev.sandboxer.platform.api.IdempotentCreates;
import dev.sandboxer.platform.api.Page;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.platform.webhook.RequestedWebhook;
import dev.sandboxer.platform.webhook.Webhook;
import dev.sandboxer.platform.webhook.WebhookSecret;
import dev.sandboxer.platform.webhook.Webhooks;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.PATCH;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.io.InputStream;
import java.util.List;
import java.util.Optional;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.ExampleObject;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** {@code /v1/webhooks}: where a tenant's events are sent to. */
@Path("/v1/webhooks")
@Produces(MediaType.APPLICATION_JSON)
@RunOnVirtualThread
@Tag(name = "events")
public class WebhookResource {

  private static final String EXAMPLE =
      """
      {"url": "https://example.com/sandboxer", "types": ["sandbox.ready", "sandbox.failed"]}""";
  private static final String CHANGE = "{\"enabled\": true}";
  private static final String ROTATE = "{}";

  private final Caller caller;
  private final Bodies bodies;
  private final WebhookBodies webhookBodies;
  private final Webhooks webhooks;
  private final IdempotentCreates creates;
  private final AuditedAction audited;

  WebhookResource(
      Caller caller,
      Bodies bodies,
      WebhookBodies webhookBodies,
      Webhooks webhooks,
      IdempotentCreates creates,
      AuditedAction audited) {
    this.caller = caller;
    this.bodies = bodies;
    this.webhookBodies = webhookBodies;
    this.webhooks = webhooks;
    this.creates = creates;
    this.audited = audited;
  }

  @POST
  @Operation(
      operationId = "createWebhook",
      summary = "Have the tenant's events sent to a URL; the secret is shown this once",
      description =
          "Signed as Standard Webhooks says. It gets what happens from now on, events of one sandbox"
              + " in order, each at least once. Needs role operator; a tenant has at most 20.")
  @RequestBody(
      required = true,
      content =
          @Content(
              mediaType = MediaType.APPLICATION_JSON,
              schema = @Schema(implementation = NewWebhook.class),
              examples = @ExampleObject(name = "two types", value = EXAMPLE)))
  @APIResponse(
      responseCode = "201",
      description = "Made",
      content = @Content(schema = @Schema(implementation = WebhookView.class)))
  public Response create(
      InputStream stream, @HeaderParam(IdempotentCreates.HEADER) @Nullable String header) {
    Principal operator = caller.require(Role.OPERATOR);
    audited.is("webhook.create");
    byte[] bytes = bodies.bytes(stream);
    Body body =
        bodies
            .object(bytes, Example.of(EXAMPLE))
            .only("url", "description", "types", "profiles", "enabled", "secret");
    RequestedWebhook asked = webhookBodies.requested(body);
    if (asked.url().isEmpty()) {
      throw body.invalid("field 'url' is missing: such as https://example.com/hook");
    }
    WebhookSecret secret = webhookBodies.secret(body);
    var made =
        creates.once(
            creates.key(operator, "POST /v1/webhooks", header, bytes),
            open -> WebhookView.of(webhooks.make(open, operator.tenantId(), asked, secret), secret),
            WebhookView::id,
            (open, id) -> WebhookView.of(earlier(open, operator, id)));
    return made.reply();
  }

  private Webhook earlier(Handle open, Principal operator, String id) {
    return webhooks.find(open, operator.tenantId(), id).orElseThrow(() -> unknown(id));
  }

  @GET
  @Operation(operationId = "listWebhooks", summary = "The tenant's webhooks and how they fare")
  public Page<WebhookView> list() {
    Principal operator = caller.require(Role.OPERATOR);
    return Page.whole(webhooks.list(operator.tenantId()).stream().map(WebhookView::of).toList());
  }

  @GET
  @Path("{id}")
  @Operation(operationId = "getWebhook", summary = "A webhook and how it fares")
  public WebhookView get(@PathParam("id") String id) {
    Principal operator = caller.require(Role.OPERATOR);
    return shown(id, webhooks.find(operator.tenantId(), id));
  }

  @PATCH
  @Path("{id}")
  @Operation(
      operationId = "changeWebhook",
      summary = "Change a webhook, pause it, or let it go on",
      description =
          "enabled true begins all retries again, at once, with what happened while it was paused.")
  @RequestBody(
      required = true,
      content =
          @Content(
              mediaType = MediaType.APPLICATION_JSON,
              schema = @Schema(implementation = WebhookChange.class),
              examples = @ExampleObject(name = "go on", value = CHANGE)))
  public WebhookView change(@PathParam("id") String id, InputStream stream) {
    Principal operator = caller.require(Role.OPERATOR);
    audited.is("webhook.change");
    Body body =
        bodies
            .object(bodies.bytes(stream), Example.of(CHANGE))
            .only("url", "description", "types", "profiles", "enabled");
    return shown(id, webhooks.change(operator.tenantId(), id, webhookBodies.requested(body)));
  }

  @DELETE
  @Path("{id}")
  @Operation(
      operationId = "deleteWebhook",
      summary = "End a webhook, with its log and what waits for it")
  public WebhookView delete(@PathParam("id") String id) {
    Principal operator = caller.require(Role.OPERATOR);
    audited.is("webhook.delete");
    return shown(id, webhooks.remove(operator.tenantId(), id));
  }

  @POST
  @Path("{id}/rotate-secret")
  @Operation(
      operationId = "rotateWebhookSecret",
      summary = "Sign with another secret; it is shown this once",
      description = "For 24 hours the one before signs too: each request has both signatures.")
  @RequestBody(
      required = true,
      content =
          @Content(
              mediaType = MediaType.APPLICATION_JSON,
              schema = @Schema(implementation = NewSecret.class),
              examples = @ExampleObject(name = "a new one is made", value = ROTATE)))
  public WebhookView rotate(@PathParam("id") String id, InputStream stream) {
    Principal operator = caller.require(Role.OPERATOR);
    audited.is("webhook.rotate_secret");
    Body body = bodies.object(bodies.bytes(stream), Example.of(ROTATE)).only("secret");
    WebhookSecret secret = webhookBodies.secret(body);
    return webhooks
        .rotate(operator.tenantId(), id, secret)
        .map(webhook -> WebhookView.of(webhook, secret))
        .orElseThrow(() -> unknown(id));
  }

  private static WebhookView shown(String id, Optional<Webhook> webhook) {
    return webhook.map(WebhookView::of).orElseThrow(() -> unknown(id));
  }

  static ProblemException unknown(String id) {
    return new ProblemException(ErrorCode.NOT_FOUND, "there is no webhook '%s'".formatted(id));
  }

  @Schema(name = "NewWebhook")
  record NewWebhook(
      @Schema(description = "https on port 443, unless the operator has opened the address")
          String url,
      Optional<String> description,
      @Schema(description = "such as sandbox.ready or sandbox.*; all if left out")
          Optional<List<String>> types,
      @Schema(description = "only sandboxes of these profiles; all if left out")
          Optional<List<String>> profiles,
      Optional<Boolean> enabled,
      @Schema(description = "whsec_ and base64 of 24 to 64 bytes; made if left out")
          Optional<String> secret) {}

  @Schema(name = "WebhookChange")
  record WebhookChange(
      Optional<String> url,
      Optional<String> description,
      Optional<List<String>> types,
      Optional<List<String>> profiles,
      Optional<Boolean> enabled) {}

  @Schema(name = "NewSecret")
  record NewSecret(
      @Schema(description = "whsec_ and base64 of 24 to 64 bytes; made if left out")
          Optional<String> secret) {}
}
