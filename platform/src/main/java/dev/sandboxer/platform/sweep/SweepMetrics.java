package dev.sandboxer.platform.sweep;

import static io.quarkus.scheduler.Scheduled.ConcurrentExecution.SKIP;

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
 * What the comparison found, as figures. They are the installation's: each node says the same. A
 * place that was never judged has only the number of its listings.
 */
@ApplicationScoped
class SweepMetrics {

  private final Places places;
  private final MultiGauge objects;
  private final MultiGauge unrecorded;
  private final MultiGauge missing;
  private final MultiGauge unjudged;
  private final MultiGauge suspects;
  private final MultiGauge removed;
  private final MultiGauge refused;

  SweepMetrics(Places places, MeterRegistry registry) {
    this.places = places;
    this.objects = gauge(registry, "objects", "Objects that a backend listed");
    this.unrecorded = gauge(registry, "unrecorded.objects", "Objects without a record");
    this.missing = gauge(registry, "missing.objects", "Live sandboxes whose object was not listed");
    this.unjudged =
        gauge(registry, "unjudged.listings", "Listings since the last one that was judged");
    this.suspects =
        gauge(registry, "suspect.objects", "Objects without a record that were not removed");
    this.removed =
        gauge(registry, "removed.objects", "Objects without a record that were removed, ever");
    this.refused =
        gauge(registry, "refused.passes", "Passes in a row that wait for an operator's word");
  }

  private static MultiGauge gauge(MeterRegistry registry, String name, String description) {
    return MultiGauge.builder("sandboxer.sweep." + name)
        .description(description)
        .register(registry);
  }

  /** Reads them again. */
  @RunOnVirtualThread
  @Scheduled(identity = "sweep figures", every = "2s", concurrentExecution = SKIP)
  void read() {
    List<Places.Status> all = places.status();
    List<Places.Status> judged = all.stream().filter(one -> one.judgedAt() != null).toList();
    set(objects, judged, Places.Status::objects);
    set(unrecorded, judged, Places.Status::unrecorded);
    set(missing, judged, Places.Status::missing);
    set(unjudged, all, Places.Status::unjudged);
    set(suspects, judged, Places.Status::suspects);
    set(removed, judged, Places.Status::removed);
    set(refused, judged, Places.Status::refusals);
  }

  private static void set(
      MultiGauge gauge, List<Places.Status> all, ToDoubleFunction<Places.Status> figure) {
    gauge.register(
        all.stream()
            .map(
                one ->
                    Row.of(Tags.of("extension", one.extension(), "host", one.host()), one, figure))
            .toList(),
        true);
  }
}
