package dev.sandboxer.platform.api.control;

import static org.eclipse.microprofile.openapi.annotations.enums.ParameterIn.QUERY;

import dev.sandboxer.platform.access.Role;
import dev.sandboxer.platform.api.AuditedAction;
import dev.sandboxer.platform.api.Caller;
import dev.sandboxer.platform.api.Page;
import dev.sandboxer.platform.api.PageLimit;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.platform.webhook.DeliveryEntry;
import dev.sandboxer.platform.webhook.DeliveryLog;
import dev.sandboxer.platform.webhook.DeliveryResult;
import dev.sandboxer.platform.webhook.Redelivery;
import dev.sandboxer.platform.webhook.Webhooks;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import java.time.Instant;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/** What was sent to a webhook, and sending it again. */
@Path("/v1/webhooks/{id}")
@Produces(MediaType.APPLICATION_JSON)
@RunOnVirtualThread
@Tag(name = "events")
public class WebhookDeliveryResource {

  private final Caller caller;
  private final Webhooks webhooks;
  private final DeliveryLog log;
  private final Redelivery redelivery;
  private final AuditedAction audited;

  WebhookDeliveryResource(
      Caller caller,
      Webhooks webhooks,
      DeliveryLog log,
      Redelivery redelivery,
      AuditedAction audited) {
    this.caller = caller;
    this.webhooks = webhooks;
    this.log = log;
    this.redelivery = redelivery;
    this.audited = audited;
  }

  @POST
  @Path("test")
  @Operation(
      operationId = "testWebhook",
      summary = "Send a message of type webhook.test, once, and tell how it went",
      description = "Also to a webhook that is paused.")
  @RequestBody(required = false)
  public DeliveryResult test(@PathParam("id") String id) throws InterruptedException {
    var _ = tenantOf(id);
    audited.is("webhook.test");
    return redelivery.test(id).orElseThrow(() -> WebhookResource.unknown(id));
  }

  @GET
  @Path("deliveries")
  @Operation(
      operationId = "listWebhookDeliveries",
      summary = "Each try of each delivery, newest first",
      description = "Of a week, at most 10,000.")
  @Parameter(in = QUERY, name = "cursor", description = "next_cursor of the page before")
  @Parameter(in = QUERY, name = "limit", description = "1 to 1000, 50 by default")
  @Parameter(in = QUERY, name = "event_id", description = "of one event")
  public Page<DeliveryView> deliveries(
      @PathParam("id") String id,
      @QueryParam("event_id") @Nullable String eventId,
      @QueryParam("cursor") @Nullable String cursor,
      @QueryParam("limit") @Nullable String limit) {
    var _ = tenantOf(id);
    int most = PageLimit.of(limit);
    Long before = EventQuery.cursor(cursor);
    return Page.of(
        most,
        log.page(id, eventId, before == null ? Long.MAX_VALUE : before, most + 1),
        DeliveryView::of,
        last -> Long.toString(last.number()));
  }

  @POST
  @Path("deliveries/{event}/replay")
  @Operation(
      operationId = "replayWebhookDelivery",
      summary = "Send an event again, with the same id",
      description =
          "One that the webhook has got is sent once, now. One that waits or was given up comes in its"
              + " turn, as soon as it can: outcome queued.")
  @RequestBody(required = false)
  public DeliveryResult replay(@PathParam("id") String id, @PathParam("event") String event)
      throws InterruptedException {
    String tenant = tenantOf(id);
    audited.is("webhook.replay");
    return redelivery
        .replay(tenant, id, event)
        .orElseThrow(
            () ->
                new ProblemException(
                    ErrorCode.NOT_FOUND, "there is no event '%s'".formatted(event)));
  }

  @POST
  @Path("deliveries/{event}/skip")
  @Operation(
      operationId = "skipWebhookDelivery",
      summary = "Leave out an event that was given up, so that those behind it arrive")
  @RequestBody(required = false)
  public void skip(@PathParam("id") String id, @PathParam("event") String event) {
    String tenant = tenantOf(id);
    audited.is("webhook.skip");
    if (!redelivery.skip(tenant, id, event)) {
      throw new ProblemException(
          ErrorCode.INVALID_STATE,
          "event '%s' was not given up at webhook '%s'".formatted(event, id));
    }
  }

  private String tenantOf(String id) {
    String tenant = caller.require(Role.OPERATOR).tenantId();
    var _ = webhooks.find(tenant, id).orElseThrow(() -> WebhookResource.unknown(id));
    return tenant;
  }

  @Schema(name = "WebhookDelivery")
  record DeliveryView(
      String eventId,
      String type,
      @Schema(enumeration = {"event", "test", "replay"}) String cause,
      int attempt,
      @Schema(description = "that the receiver answered; null if it did not")
          @Nullable Integer status,
      @Nullable String error,
      int durationMs,
      Instant at) {

    static DeliveryView of(DeliveryEntry entry) {
      return new DeliveryView(
          entry.eventId(),
          entry.type(),
          entry.cause(),
          entry.attempt(),
          entry.status(),
          entry.error(),
          entry.durationMs(),
          entry.at());
    }
  }
}
