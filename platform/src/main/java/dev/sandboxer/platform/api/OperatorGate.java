package dev.sandboxer.platform.api;

import dev.sandboxer.platform.access.Principal;
import dev.sandboxer.platform.access.Role;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.Problem;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.platform.problem.RequestId;
import io.quarkus.vertx.http.runtime.filters.Filters;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What the framework serves itself, health, metrics and the OpenAPI document, is for operators. */
@ApplicationScoped
class OperatorGate {

  private static final List<String> PATHS = List.of("/v1/openapi", "/v1/metrics", ProbeStatus.ROOT);

  private static final int PRIORITY = 100;
  private static final Problem NO_KEY =
      Problem.of(ErrorCode.UNAUTHENTICATED, "send an operator's key");

  private final KeyCheck keys;
  private final ProbeStatus probes;

  OperatorGate(KeyCheck keys, ProbeStatus probes) {
    this.keys = keys;
    this.probes = probes;
  }

  void register(@Observes Filters filters) {
    filters.register(this::check, PRIORITY);
  }

  private void check(RoutingContext request) {
    String path = request.normalizedPath();
    if (PATHS.stream().noneMatch(path::startsWith)) {
      request.next();
      return;
    }
    request
        .vertx()
        .executeBlocking(() -> refusal(request), false)
        .onSuccess(refusal -> proceed(request, refusal))
        .onFailure(request::fail);
  }

  private @Nullable Problem refusal(RoutingContext request) {
    try {
      return keys.find(request.request())
          .map(OperatorGate::refusal)
          .orElseGet(() -> Optional.of(NO_KEY))
          .orElse(null);
    } catch (ProblemException e) {
      return e.problem();
    }
  }

  private static Optional<Problem> refusal(Principal principal) {
    return principal.role().covers(Role.OPERATOR)
        ? Optional.empty()
        : Optional.of(Problem.of(ErrorCode.FORBIDDEN, "this needs a key with role operator"));
  }

  private void proceed(RoutingContext request, @Nullable Problem refusal) {
    if (refusal == null) {
      request.next();
      return;
    }
    if (probes.answers(request, refusal)) {
      return;
    }
    String body = refusal.json(RequestId.of(request));
    refusal.headers().forEach(request.response()::putHeader);
    request
        .response()
        .setStatusCode(refusal.status())
        .putHeader("Content-Type", Problem.MEDIA_TYPE)
        .end(body);
  }
}
