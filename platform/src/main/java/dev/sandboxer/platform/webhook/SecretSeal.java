package dev.sandboxer.platform.webhook;

import dev.sandboxer.platform.installation.Sealer;
import jakarta.enterprise.context.ApplicationScoped;
import java.nio.charset.StandardCharsets;

/** Secrets as they rest in the database: encrypted under the master key, bound to their webhook. */
@ApplicationScoped
class SecretSeal {

  private final Sealer sealer;

  SecretSeal(Sealer sealer) {
    this.sealer = sealer;
  }

  byte[] seal(String id, WebhookSecret secret) {
    return sealer.seal(row(id), secret.text().getBytes(StandardCharsets.UTF_8));
  }

  WebhookSecret open(String id, byte[] sealed) {
    return WebhookSecret.parse(new String(sealer.unseal(row(id), sealed), StandardCharsets.UTF_8));
  }

  private static String row(String id) {
    return "webhook/" + id;
  }
}
