package dev.sandboxer.platform.provisioning;

import dev.sandboxer.platform.sandbox.ExtensionId;
import dev.sandboxer.platform.trace.Span;
import dev.sandboxer.platform.trace.Tracing;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.HostRef;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Counts, times and traces the calls of extensions. No sandbox and no attempt is a label. */
@ApplicationScoped
class ExtensionFigures {

  private final Tracing tracing;
  private final MeterRegistry registry;
  private final Map<Kind, Timer> timers = new ConcurrentHashMap<>();

  /** What a timer counts. */
  private record Kind(String extension, String call, String result) {}

  ExtensionFigures(Tracing tracing, MeterRegistry registry) {
    this.tracing = tracing;
    this.registry = registry;
  }

  /** A call that waits for its result. */
  @FunctionalInterface
  interface Call<T> {
    T await() throws ExtensionException;
  }

  <T> T of(String name, Attempt attempt, Call<T> call) throws ExtensionException {
    Span span =
        span(name, attempt.extension(), attempt.host()).set("sandboxer.attempt", attempt.number());
    return timed(name, attempt.extension(), span, call);
  }

  /** A call that is of no attempt. */
  <T> T of(String name, ExtensionId extension, HostRef host, Call<T> call)
      throws ExtensionException {
    return timed(name, extension, span(name, extension, host), call);
  }

  private <T> T timed(String name, ExtensionId extension, Span of, Call<T> call)
      throws ExtensionException {
    Timer.Sample sample = Timer.start(registry);
    String result = "internal";
    try (Span span = of) {
      try {
        T value = call.await();
        result = "ok";
        span.set("sandboxer.outcome", result);
        return value;
      } catch (ExtensionException e) {
        result = e.code().name().toLowerCase(Locale.ROOT);
        span.set("sandboxer.outcome", Worker.outcome(e.outcome())).failed(e.code().name());
        throw e;
      }
    } finally {
      sample.stop(timers.computeIfAbsent(new Kind(extension.text(), name, result), this::timer));
    }
  }

  private Span span(String name, ExtensionId extension, HostRef host) {
    return tracing
        .call("extension " + name)
        .set("sandboxer.extension.id", extension.text())
        .set("sandboxer.host.id", host.id());
  }

  private Timer timer(Kind kind) {
    return Timer.builder("sandboxer.extension.call")
        .description("Calls of extensions, by what was called and how it ended")
        .tag("extension", kind.extension())
        .tag("call", kind.call())
        .tag("result", kind.result())
        .register(registry);
  }
}
