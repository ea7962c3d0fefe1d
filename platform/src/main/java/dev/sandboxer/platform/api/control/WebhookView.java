package dev.sandboxer.platform.api.control;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.sandboxer.platform.webhook.Webhook;
import dev.sandboxer.platform.webhook.WebhookSecret;
import java.time.Instant;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** A webhook in answers. */
@Schema(name = "Webhook")
record WebhookView(
    @Schema(examples = "whk_k3v9a0q7x2m5n8b1c4d6") String id,
    String url,
    String description,
    @Schema(description = "event types that are wanted, empty for all") List<String> types,
    @Schema(description = "whose sandboxes are wanted, empty for all") List<String> profiles,
    @Schema(description = "false: nothing is delivered, everything is kept for later")
        boolean enabled,
    @Schema(description = "why the platform paused it; null if it did not")
        @Nullable String pausedReason,
    @Nullable Instant pausedAt,
    @Schema(description = "failed tries since the last success") int failures,
    @Nullable String lastError,
    @Nullable Instant failingSince,
    @Schema(description = "events that it has not got") long waiting,
    @Schema(description = "sandboxes whose events wait behind one that was given up") long parked,
    @Schema(description = "until then the secret before this one signs too")
        @Nullable Instant oldSecretUntil,
    Instant createdAt,
    @Schema(description = "shown this once, when it is made")
        @JsonInclude(JsonInclude.Include.NON_NULL)
        @Nullable String secret) {

  static WebhookView of(Webhook webhook) {
    return of(webhook, null);
  }

  static WebhookView of(Webhook webhook, @Nullable WebhookSecret secret) {
    return new WebhookView(
        webhook.id(),
        webhook.url(),
        webhook.description(),
        webhook.types(),
        webhook.profiles(),
        webhook.enabled(),
        webhook.pausedReason(),
        webhook.pausedAt(),
        webhook.failures(),
        webhook.lastError(),
        webhook.failingSince(),
        webhook.waiting(),
        webhook.parked(),
        webhook.oldSecretUntil(),
        webhook.createdAt(),
        secret == null ? null : secret.text());
  }
}
