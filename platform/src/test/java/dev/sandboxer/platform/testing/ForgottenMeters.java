package dev.sandboxer.platform.testing;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Metrics;
import io.quarkus.runtime.ShutdownEvent;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.util.List;

/**
 * The registry of all meters outlives a platform that runs within the process of the tests. The
 * next one would be given the gauges of the one before, which never move again.
 */
@ApplicationScoped
class ForgottenMeters {

  void forget(@Observes ShutdownEvent event) {
    MeterRegistry all = Metrics.globalRegistry;
    List.copyOf(all.getMeters()).forEach(all::remove);
  }
}
