package dev.sandboxer.platform.webhook;

import dev.sandboxer.platform.delivery.DeliveryResult;
import dev.sandboxer.platform.delivery.Lane;
import dev.sandboxer.platform.delivery.SinkStream;
import dev.sandboxer.platform.delivery.SinkStreams;
import dev.sandboxer.platform.delivery.TenantSinks;
import dev.sandboxer.platform.event.Event;
import dev.sandboxer.platform.installation.Settings;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.List;
import org.jboss.logging.Logger;
import org.jdbi.v3.core.Jdbi;

/**
 * All webhooks: each event has its own retries. A receiver that took nothing for a whole plan is
 * paused; one event that fails to the end, while others arrive, is set aside.
 */
@ApplicationScoped
class WebhookLane implements Lane {

  /** In table {@code sink}. */
  static final String KIND = "webhook";

  private static final Logger LOG = Logger.getLogger(WebhookLane.class);
  private static final int AT_ONCE = 256;
  private static final int OF_EACH = 8;

  private final SinkStreams streams;
  private final TenantSinks sinks;
  private final Targets targets;
  private final Envelopes envelopes;
  private final Sender sender;
  private final Jdbi jdbi;
  private final List<Duration> plan;
  private final Duration whole;

  WebhookLane(
      SinkStreams streams,
      TenantSinks sinks,
      Targets targets,
      Envelopes envelopes,
      Sender sender,
      Jdbi jdbi,
      Settings settings) {
    this.streams = streams;
    this.sinks = sinks;
    this.targets = targets;
    this.envelopes = envelopes;
    this.sender = sender;
    this.jdbi = jdbi;
    this.plan = settings.webhookRetries();
    this.whole = plan.stream().reduce(Duration.ZERO, Duration::plus);
  }

  @Override
  public String name() {
    return KIND;
  }

  @Override
  public int atOnce() {
    return AT_ONCE;
  }

  @Override
  public List<SinkStream> claim(int room) {
    return streams.claimOf(KIND, OF_EACH, room);
  }

  @Override
  public DeliveryResult deliver(SinkStream stream, Event event, int attempt) {
    Target target = targets.find(stream.sinkId()).filter(Target::active).orElse(null);
    if (target == null) {
      return new DeliveryResult.Held();
    }
    if (!target.wants(event)) {
      return new DeliveryResult.Taken();
    }
    Outcome outcome = send(target, event, attempt);
    String error = outcome.error();
    return error == null ? taken(target) : failed(target, outcome, error, attempt);
  }

  private Outcome send(Target target, Event event, int attempt) {
    try {
      return sender.send(target, envelopes.of(event), Cause.EVENT, attempt).outcome();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("the node ends", e);
    }
  }

  private DeliveryResult taken(Target target) {
    if (target.failures() > 0) {
      sinks.recovered(target.id());
    }
    return new DeliveryResult.Taken();
  }

  private DeliveryResult failed(Target target, Outcome outcome, String error, int attempt) {
    Duration failing = sinks.failed(target.id(), error, outcome.retryAfter());
    if (outcome.gone()) {
      return pause(target, "the receiver answered 410 Gone");
    }
    if (attempt <= plan.size()) {
      Duration pause = plan.get(attempt - 1);
      return new DeliveryResult.Again(
          error, pause.compareTo(outcome.retryAfter()) > 0 ? pause : outcome.retryAfter(), true);
    }
    return failing.compareTo(whole) >= 0
        ? pause(target, "it took nothing in %d tries; the last: %s".formatted(attempt, error))
        : new DeliveryResult.SetAside(error);
  }

  private DeliveryResult pause(Target target, String reason) {
    jdbi.useTransaction(open -> sinks.pause(open, target.id(), reason));
    LOG.infof("webhook paused webhook=%s reason=%s", target.id(), reason);
    return new DeliveryResult.Held();
  }

  @Override
  public void close() {
    sender.close();
  }
}
