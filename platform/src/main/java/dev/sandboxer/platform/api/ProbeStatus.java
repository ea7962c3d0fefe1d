package dev.sandboxer.platform.api;

import dev.sandboxer.platform.problem.Problem;
import io.smallrye.health.SmallRyeHealth;
import io.smallrye.health.SmallRyeHealthReporter;
import io.smallrye.mutiny.Uni;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Map;
import java.util.function.Function;

/**
 * What probes without a key learn below {@code /q/health}: whether the process lives, is ready, has
 * started, and no details. The other checks ask the database more than strangers may make it do.
 */
@ApplicationScoped
class ProbeStatus {

  static final String ROOT = "/q/health";

  private static final Map<String, Function<SmallRyeHealthReporter, Uni<SmallRyeHealth>>> OPEN =
      Map.of(
          ROOT + "/live", SmallRyeHealthReporter::getLivenessAsync,
          ROOT + "/ready", SmallRyeHealthReporter::getReadinessAsync,
          ROOT + "/started", SmallRyeHealthReporter::getStartupAsync);

  private final SmallRyeHealthReporter health;

  ProbeStatus(SmallRyeHealthReporter health) {
    this.health = health;
  }

  /**
   * Answers a probe that is refused the details, unless what it sent is no key.
   *
   * @param request one that is not an operator's
   * @param refusal why not
   * @return false if this request stays refused
   */
  boolean answers(RoutingContext request, Problem refusal) {
    var probe = OPEN.get(request.normalizedPath());
    if (probe == null || (keySent(request.request()) && refusal.status() == 401)) {
      return false;
    }
    probe.apply(health).subscribe().with(found -> answer(request, found), request::fail);
    return true;
  }

  private static boolean keySent(HttpServerRequest request) {
    return Credentials.of(request.getHeader("Authorization"), request.getHeader("X-API-KEY"))
        .isPresent();
  }

  private static void answer(RoutingContext request, SmallRyeHealth found) {
    request
        .response()
        .setStatusCode(found.isDown() ? 503 : 200)
        .putHeader("Content-Type", "application/json")
        .end(new JsonObject().put("status", found.getStatus().name()).encode());
  }
}
