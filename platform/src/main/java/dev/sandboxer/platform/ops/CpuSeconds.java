package dev.sandboxer.platform.ops;

import com.sun.management.OperatingSystemMXBean;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import jakarta.inject.Singleton;
import java.lang.management.ManagementFactory;

/** {@code process_cpu_seconds_total}: the name that every client library of Prometheus has. */
@Singleton
class CpuSeconds implements MeterBinder {

  private static final double NANOS = 1e9;

  @Override
  public void bindTo(MeterRegistry registry) {
    OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    FunctionCounter.builder("process.cpu", system, one -> one.getProcessCpuTime() / NANOS)
        .description("CPU time that the process has used, user and system")
        .baseUnit("seconds")
        .register(registry);
  }
}
