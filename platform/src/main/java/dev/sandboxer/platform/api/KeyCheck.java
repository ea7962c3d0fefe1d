package dev.sandboxer.platform.api;

import dev.sandboxer.platform.access.ApiKeys;
import dev.sandboxer.platform.access.Principal;
import dev.sandboxer.platform.connection.ClientAddress;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.Problem;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.platform.token.FailureLimit;
import io.vertx.core.http.HttpServerRequest;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;

/**
 * Finds whose key a request brings. Whoever sends many wrong ones must wait before the next is
 * looked up; a key that this node has seen to be right is looked up all the same, so that one
 * client cannot lock out others behind its address.
 */
@ApplicationScoped
public class KeyCheck {

  private static final int FREE_FAILURES = 100;
  private static final Duration FAILURE_LEAK = Duration.ofMillis(100);

  private final ApiKeys keys;
  private final FailureLimit failures;

  KeyCheck(ApiKeys keys, Clock clock) {
    this.keys = keys;
    this.failures = new FailureLimit(FREE_FAILURES, FAILURE_LEAK, clock);
  }

  /**
   * Finds whose key it is.
   *
   * @param request with a key as {@link Credentials} finds it, or without one
   * @return empty if there is no key in it
   * @throws ProblemException UNAUTHENTICATED if the key is wrong or was ended, RATE_LIMITED if too
   *     many wrong ones came from its address
   */
  public Optional<Principal> find(HttpServerRequest request) {
    return Credentials.of(request.getHeader("Authorization"), request.getHeader("X-API-KEY"))
        .map(key -> check(key, ClientAddress.of(request)));
  }

  private Principal check(String key, String address) {
    int wait = failures.waitSeconds(address);
    if (wait > 0 && !keys.seen(key)) {
      throw new ProblemException(
          Problem.of(
                  ErrorCode.RATE_LIMITED,
                  "too many wrong keys came from this address; try again in %d s".formatted(wait))
              .after(wait));
    }
    return keys.authenticate(key)
        .orElseThrow(
            () -> {
              failures.failed(address);
              return new ProblemException(
                  ErrorCode.UNAUTHENTICATED, "the key is not valid, or was ended");
            });
  }
}
