package dev.sandboxer.platform.delivery;

import static io.quarkus.scheduler.Scheduled.ConcurrentExecution.SKIP;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.MultiGauge.Row;
import io.micrometer.core.instrument.Tags;
import io.quarkus.scheduler.Scheduled;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * How the operator's sinks and the tenants' webhooks fare, as figures. They are the installation's:
 * each node says the same.
 */
@ApplicationScoped
class SinkMetrics {

  private final Sinks sinks;
  private final MultiGauge lag;
  private final MultiGauge age;
  private final MultiGauge failures;
  private final MultiGauge parked;
  private volatile WebhookStatus webhooks = WebhookStatus.NONE;

  SinkMetrics(Sinks sinks, MeterRegistry registry) {
    this.sinks = sinks;
    this.lag = gauge(registry, "lag.events", "Events that a sink has not got");
    this.age =
        gauge(registry, "lag.seconds", "For how long the slowest subject of a sink has not moved");
    this.failures = gauge(registry, "failures", "Failed tries since the last success of a sink");
    this.parked = gauge(registry, "parked.subjects", "Subjects that wait behind a refused event");
    webhook(registry, "lag.events", "Events that webhooks have not got", WebhookStatus::lag);
    webhook(
        registry,
        "lag.seconds",
        "For how long the slowest subject of a webhook has not moved",
        WebhookStatus::lagSeconds);
    webhook(registry, "failing", "Webhooks whose last try failed", WebhookStatus::failing);
    webhook(registry, "paused", "Webhooks that get nothing now", WebhookStatus::paused);
    webhook(
        registry,
        "parked.subjects",
        "Subjects that wait behind an event that was given up",
        WebhookStatus::parked);
  }

  private void webhook(
      MeterRegistry registry,
      String name,
      String description,
      ToDoubleFunction<WebhookStatus> figure) {
    Gauge.builder("sandboxer.webhook." + name, () -> figure.applyAsDouble(webhooks))
        .description(description)
        .register(registry);
  }

  private static MultiGauge gauge(MeterRegistry registry, String name, String description) {
    return MultiGauge.builder("sandboxer.sink." + name).description(description).register(registry);
  }

  /** Reads them again. */
  @RunOnVirtualThread
  @Scheduled(identity = "sink figures", every = "2s", concurrentExecution = SKIP)
  void read() {
    webhooks = sinks.webhooks();
    List<SinkStatus> all = sinks.status();
    set(lag, all, SinkStatus::lag);
    set(age, all, SinkStatus::lagSeconds);
    set(failures, all, SinkStatus::failures);
    set(parked, all, SinkStatus::parked);
  }

  private static void set(
      MultiGauge gauge, List<SinkStatus> all, ToDoubleFunction<SinkStatus> figure) {
    gauge.register(
        all.stream().map(one -> Row.of(Tags.of("sink", one.id()), one, figure)).toList(), true);
  }
}
