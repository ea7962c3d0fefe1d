package dev.sandboxer.platform.api;

import dev.sandboxer.platform.access.ApiKeys;
import dev.sandboxer.platform.access.Principal;
import dev.sandboxer.platform.access.Role;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.Problem;
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

  private final ApiKeys keys;
  private final ProbeStatus probes;

  OperatorGate(ApiKeys keys, ProbeStatus probes) {
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
    Optional<Principal> principal =
        Credentials.of(
                request.request().getHeader("Authorization"),
                request.request().getHeader("X-API-KEY"))
            .flatMap(keys::authenticate);
    if (principal.isEmpty()) {
      return Problem.of(ErrorCode.UNAUTHENTICATED, "send an operator's key");
    }
    return principal.get().role().covers(Role.OPERATOR)
        ? null
        : Problem.of(ErrorCode.FORBIDDEN, "this needs a key with role operator");
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
    request
        .response()
        .setStatusCode(refusal.status())
        .putHeader("Content-Type", Problem.MEDIA_TYPE)
        .end(body);
  }
}
