package dev.sandboxer.platform.routing;

import dev.sandboxer.platform.sandbox.ExtensionId;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** What creates took lately on each backend and host, as this node has seen it. */
@ApplicationScoped
public class Latencies {

  /** Fewer say nothing. */
  static final int LEAST_SAMPLES = 5;

  /** What the newest create counts; each earlier one counts as much less again. */
  private static final double NEWEST = 0.2;

  private final Map<Key, Average> averages = new ConcurrentHashMap<>();

  private record Key(ExtensionId extension, String host) {}

  private record Average(int samples, double nanos) {

    Average with(double next) {
      return new Average(Math.min(samples + 1, LEAST_SAMPLES), nanos + NEWEST * (next - nanos));
    }
  }

  /**
   * Notes a create.
   *
   * @param extension whom it was asked of
   * @param host where
   * @param took from the begin of the attempt to ready
   */
  public void ready(ExtensionId extension, String host, Duration took) {
    double nanos = took.toNanos();
    averages.merge(
        new Key(extension, host), new Average(1, nanos), (known, _) -> known.with(nanos));
  }

  /** The average, the newer the more it counts; empty before there were enough creates. */
  Optional<Duration> of(ExtensionId extension, String host) {
    return Optional.ofNullable(averages.get(new Key(extension, host)))
        .filter(average -> average.samples() >= LEAST_SAMPLES)
        .map(average -> Duration.ofNanos((long) average.nanos()));
  }
}
