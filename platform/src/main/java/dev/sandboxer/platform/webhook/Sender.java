package dev.sandboxer.platform.webhook;

import dev.sandboxer.platform.installation.Settings;
import io.vertx.core.Vertx;
import jakarta.enterprise.context.ApplicationScoped;
import java.net.InetAddress;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Sends one signed message to one receiver, and writes down how it went. */
@ApplicationScoped
class Sender {

  private static final Duration LIMIT = Duration.ofSeconds(20);

  private final WebhookClient client;
  private final Addressees addressees;
  private final DeliveryLog log;
  private final Clock clock;

  Sender(Vertx vertx, Settings settings, DeliveryLog log, Clock clock) {
    this.addressees =
        new Addressees(
            settings.webhookAddresses(), host -> List.of(InetAddress.getAllByName(host)));
    this.client = new WebhookClient(vertx, addressees, settings.authorities(), clock, LIMIT);
    this.log = log;
    this.clock = clock;
  }

  /** Where URLs lead, for who wants to know before anything is sent. */
  Addressees addressees() {
    return addressees;
  }

  /**
   * Sends. Blocks.
   *
   * @return as written down
   * @throws InterruptedException if the node ends
   */
  Try send(Target target, Message message, Cause cause, int attempt) throws InterruptedException {
    long timestamp = clock.instant().getEpochSecond();
    long begin = System.nanoTime();
    Outcome outcome =
        client.post(
            target.url(),
            Map.of(
                "Content-Type",
                "application/json",
                "User-Agent",
                "sandboxer-webhooks",
                "webhook-id",
                message.id(),
                "webhook-timestamp",
                Long.toString(timestamp),
                "webhook-signature",
                target.sign(message.id(), timestamp, message.body())),
            message.body());
    long millis = Duration.ofNanos(System.nanoTime() - begin).toMillis();
    Try done = new Try(message.id(), message.type(), cause, attempt, outcome, millis);
    log.write(target.id(), done);
    return done;
  }

  void close() {
    client.close();
  }
}
