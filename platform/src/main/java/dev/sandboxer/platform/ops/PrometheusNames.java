package dev.sandboxer.platform.ops;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.config.MeterFilterReply;
import jakarta.inject.Singleton;

/** Mends what Micrometer and Quarkus tell otherwise than Prometheus' documents want. */
@Singleton
class PrometheusNames implements MeterFilter {

  @Override
  public MeterFilterReply accept(Meter.Id id) {
    return switch (id.getName()) {
      // In nanoseconds: CpuSeconds tells it.
      case "process.cpu.time" -> MeterFilterReply.DENY;
      // Of a type that the format does not have; http_server_active_connections stays.
      case "http.server.connections" -> MeterFilterReply.DENY;
      default -> MeterFilterReply.NEUTRAL;
    };
  }

  @Override
  public Meter.Id map(Meter.Id id) {
    return switch (id.getName()) {
      // The ending belongs to summaries.
      case "system.cpu.count" -> id.withName("system.cpus");
      case "http.server.active.requests" -> told(id, "Requests that are being served");
      default -> id;
    };
  }

  private static Meter.Id told(Meter.Id id, String help) {
    return new Meter.Id(id.getName(), Tags.of(id.getTags()), id.getBaseUnit(), help, id.getType());
  }
}
