package dev.sandboxer.platform.token;

import java.time.Duration;
import java.time.InstantSource;

/**
 * Counts bad tokens per address, so that no address can make the platform check signatures without
 * end. A bucket that leaks; addresses that are quiet are forgotten.
 */
final class FailureLimit {

  private static final int ADDRESSES = 4096;

  private final int burst;
  private final long leakMillis;
  private final InstantSource clock;
  private final BoundedCache<String, Bucket> buckets = new BoundedCache<>(ADDRESSES);

  /**
   * Makes a limit.
   *
   * @param burst failures that are free
   * @param leak how long until one failure is forgotten
   * @param clock to measure by
   */
  FailureLimit(int burst, Duration leak, InstantSource clock) {
    this.burst = burst;
    this.leakMillis = leak.toMillis();
    this.clock = clock;
  }

  /** Seconds to wait, 0 if the address may try now. */
  int waitSeconds(String address) {
    Bucket bucket = buckets.get(address);
    if (bucket == null) {
      return 0;
    }
    long over = bucket.emptyAt - clock.millis() - (burst - 1) * leakMillis;
    return over <= 0 ? 0 : (int) Math.ceilDiv(over, 1000L);
  }

  void failed(String address) {
    long now = clock.millis();
    Bucket bucket = buckets.get(address);
    long from = bucket == null ? now : Math.max(now, bucket.emptyAt);
    long full = now + burst * leakMillis;
    buckets.put(address, new Bucket(Math.min(from + leakMillis, full)));
  }

  private record Bucket(long emptyAt) {}
}
