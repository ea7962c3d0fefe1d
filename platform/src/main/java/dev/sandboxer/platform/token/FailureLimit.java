package dev.sandboxer.platform.token;

import com.github.benmanes.caffeine.cache.Caffeine;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;

/**
 * Counts bad tokens per address, so that no address can make the platform check signatures, or
 * guess, without end. A bucket that leaks; addresses that are quiet are forgotten.
 */
public final class FailureLimit {

  private static final int ADDRESSES = 8192;

  private final int burst;
  private final long leakMillis;
  private final InstantSource clock;

  /** When the bucket of each address is empty, in milliseconds of the clock. */
  private final Map<String, Long> emptyAt;

  /**
   * Makes a limit.
   *
   * @param burst failures that are free
   * @param leak how long until one failure is forgotten
   * @param clock to measure by
   */
  public FailureLimit(int burst, Duration leak, InstantSource clock) {
    this.burst = burst;
    this.leakMillis = leak.toMillis();
    this.clock = clock;
    this.emptyAt =
        Caffeine.newBuilder()
            .maximumSize(ADDRESSES)
            .expireAfterWrite(leak.multipliedBy(burst))
            .executor(Runnable::run)
            .<String, Long>build()
            .asMap();
  }

  /**
   * How long an address must wait.
   *
   * @param address of the caller
   * @return in seconds, 0 if it may try now
   */
  public int waitSeconds(String address) {
    Long empty = emptyAt.get(address);
    if (empty == null) {
      return 0;
    }
    long over = empty - clock.millis() - (burst - 1) * leakMillis;
    return over <= 0 ? 0 : (int) Math.ceilDiv(over, 1000L);
  }

  /**
   * Counts a failure.
   *
   * @param address of the caller
   */
  public void failed(String address) {
    long now = clock.millis();
    long full = now + burst * leakMillis;
    emptyAt.merge(
        address,
        now + leakMillis,
        (empty, one) -> Math.min(Math.max(one, empty + leakMillis), full));
  }
}
