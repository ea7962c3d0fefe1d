package dev.sandboxer.platform.secret;

import dev.sandboxer.spi.secret.SecretException;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import jakarta.inject.Singleton;
import java.time.Duration;

/** How long reads of secrets take, by store and result; made with {@link Secrets}, at the start. */
@Singleton
class SecretMetrics {

  private static final String OK = "ok";

  private final MeterRegistry registry;

  SecretMetrics(MeterRegistry registry, SecretStores stores) {
    this.registry = registry;
    stores.names().forEach(store -> timer(store, OK)); // shown before the first read
  }

  @FunctionalInterface
  interface Read {
    byte[] read() throws SecretException;
  }

  /** Reads, and notes how that went. */
  byte[] timed(String store, Read read) throws SecretException {
    long start = System.nanoTime();
    String result = "away";
    try {
      byte[] value = read.read();
      result = OK;
      return value;
    } catch (SecretException e) {
      result = e.isAway() ? "away" : "missing";
      throw e;
    } finally {
      timer(store, result).record(Duration.ofNanos(System.nanoTime() - start));
    }
  }

  private Timer timer(String store, String result) {
    return Timer.builder("sandboxer.secret.read")
        .description("Reads of secrets that were not in memory")
        .tag("store", store)
        .tag("result", result)
        .register(registry);
  }
}
