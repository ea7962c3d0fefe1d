package dev.sandboxer.platform.api;

import dev.sandboxer.platform.access.RateLimits;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.ProblemException;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.ApplicationScoped;

/** The rate limits of the session doors, with their header fields on every reply. */
@ApplicationScoped
public class DoorLimits {

  private final RateLimits limits;
  private final RoutingContext request;

  DoorLimits(RateLimits limits, RoutingContext request) {
    this.limits = limits;
    this.request = request;
  }

  /**
   * Counts the present request.
   *
   * @param tenantId whose key it is
   * @param userId on whose behalf
   * @throws ProblemException RATE_LIMITED
   */
  public void count(String tenantId, String userId) {
    RateLimits.Standing standing = limits.count(tenantId, userId);
    HttpServerResponse reply = request.response();
    reply.putHeader("RateLimit-Policy", standing.policy());
    reply.putHeader("RateLimit", standing.limit());
    if (!standing.allowed()) {
      reply.putHeader("Retry-After", Integer.toString(standing.retryAfter()));
      throw new ProblemException(
          ErrorCode.RATE_LIMITED,
          "too many requests: %s; try again in %d s"
              .formatted(standing.policy(), standing.retryAfter()));
    }
  }
}
