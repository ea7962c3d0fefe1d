package dev.sandboxer.platform.api;

import dev.sandboxer.platform.access.RateLimits;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.platform.session.OnBehalfOf;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.ApplicationScoped;

/** The rate limits of the session doors, with their header fields on every reply. */
@ApplicationScoped
public class SessionRateLimits {

  private final RateLimits limits;
  private final AuditedAction audited;
  private final RoutingContext request;

  SessionRateLimits(RateLimits limits, AuditedAction audited, RoutingContext request) {
    this.limits = limits;
    this.audited = audited;
    this.request = request;
  }

  /**
   * Counts the present request, and puts into the audit on whose behalf it is.
   *
   * @param party whose key it is, and on whose behalf
   * @return the same
   * @throws ProblemException RATE_LIMITED
   */
  public OnBehalfOf counted(OnBehalfOf party) {
    audited.user(party.user());
    count(limits.count(party.principal().tenantId(), party.user()));
    return party;
  }

  private void count(RateLimits.Standing standing) {
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
