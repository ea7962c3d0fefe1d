package dev.sandboxer.platform.access;

import com.github.benmanes.caffeine.cache.Caffeine;
import dev.sandboxer.platform.installation.Setting;
import dev.sandboxer.platform.installation.Settings;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.Map;

/**
 * How many requests a user and a tenant may make of the session doors, on this node: a bucket each
 * that refills evenly. Header fields as in draft-ietf-httpapi-ratelimit-headers.
 */
@ApplicationScoped
public class RateLimits {

  private static final int USER = 1_200;
  private static final int TENANT = 12_000;
  private static final int MOST = 100_000_000;
  private static final Duration WINDOW = Duration.ofMinutes(1);

  private final int user;
  private final int tenant;

  /** A bucket that was not used for the whole window is full again, so it is not kept. */
  private final Map<String, Bucket> buckets =
      Caffeine.newBuilder()
          .expireAfterWrite(WINDOW)
          .executor(Runnable::run)
          .<String, Bucket>build()
          .asMap();

  RateLimits(Settings settings) {
    this.user = settings.number(Setting.SANDBOXER_USER_RATE, USER, MOST);
    this.tenant = settings.number(Setting.SANDBOXER_TENANT_RATE, TENANT, MOST);
  }

  /**
   * Counts a request. One that its user may not make any more takes nothing of the tenant's: a
   * hasty user does not use up what the others have.
   *
   * @param tenantId whose key it is
   * @param userId on whose behalf
   * @return what is left
   */
  public Standing count(String tenantId, String userId) {
    Bucket ofUser = take("u/" + tenantId + "/" + userId, user, true);
    Bucket ofTenant = take("t/" + tenantId, tenant, ofUser.taken());
    return new Standing(
        ofUser.taken() && ofTenant.taken(),
        user,
        (int) ofUser.left(),
        tenant,
        (int) ofTenant.left());
  }

  private Bucket take(String name, int quota, boolean one) {
    long now = System.nanoTime();
    return buckets.compute(
        name,
        (_, before) ->
            (before == null ? Bucket.full(quota, now) : before.refilled(quota, now)).take(one));
  }

  /**
   * A bucket after its last request.
   *
   * @param left requests that may come now
   * @param nanos when that was
   * @param taken whether that request was within the limit
   */
  private record Bucket(double left, long nanos, boolean taken) {

    static Bucket full(int quota, long now) {
      return new Bucket(quota, now, false);
    }

    Bucket refilled(int quota, long now) {
      return new Bucket(
          Math.min(quota, left + (double) (now - nanos) * quota / WINDOW.toNanos()), now, false);
    }

    Bucket take(boolean one) {
      return one && left >= 1 ? new Bucket(left - 1, nanos, true) : this;
    }
  }

  /**
   * How a user and a tenant stand.
   *
   * @param allowed whether this request was within both limits
   * @param user requests a minute
   * @param leftUser of them
   * @param tenant requests a minute
   * @param leftTenant of them
   */
  public record Standing(boolean allowed, int user, int leftUser, int tenant, int leftTenant) {

    /**
     * The header {@code RateLimit-Policy}.
     *
     * @return both policies
     */
    public String policy() {
      return "\"user\";q=%d;w=60, \"tenant\";q=%d;w=60".formatted(user, tenant);
    }

    /**
     * The header {@code RateLimit}.
     *
     * @return what is left, and in how many seconds one more is
     */
    public String limit() {
      return "\"user\";r=%d;t=%d, \"tenant\";r=%d;t=%d"
          .formatted(leftUser, wait(user), leftTenant, wait(tenant));
    }

    /**
     * When the next request may be made.
     *
     * @return seconds, at least 1
     */
    public int retryAfter() {
      return Math.max(wait(user), wait(tenant));
    }

    private static int wait(int quota) {
      return Math.max(1, 60 / quota);
    }
  }
}
