package dev.sandboxer.platform.api.langbot;

import dev.sandboxer.platform.order.OrderRequest;
import dev.sandboxer.platform.order.Orders;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.platform.routing.Plan;
import dev.sandboxer.platform.routing.Planner;
import dev.sandboxer.platform.sandbox.Consumer;
import io.vertx.core.json.JsonObject;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Map;

/** Whether boxes of a profile could be made now, and on which backend. */
@ApplicationScoped
class BackendInfo {

  private final Orders orders;
  private final Planner planner;

  BackendInfo(Orders orders, Planner planner) {
    this.orders = orders;
    this.planner = planner;
  }

  JsonObject of(Client client) {
    return of(client.principal().tenantId(), client.principal().keyId(), client.settings().rules());
  }

  JsonObject of(String tenantId, String principalId, ProfileRules rules) {
    JsonObject info = new JsonObject();
    try {
      Plan plan =
          planner.plan(
              orders
                  .resolve(
                      OrderRequest.plain(
                          tenantId,
                          principalId,
                          rules.profile(),
                          new Consumer("agt", "langbot", null, null, Map.of())))
                  .query());
      info.put("available", !plan.candidates().isEmpty());
      plan.candidates().stream()
          .findFirst()
          .ifPresent(first -> info.put("name", SessionView.name(first.extension().text())));
      if (plan.candidates().isEmpty()) {
        info.putNull("name").put("reason", String.join("; ", plan.reasons().values()));
      }
    } catch (ProblemException e) {
      info.putNull("name").put("available", false).put("reason", e.problem().detail());
    }
    return info.put("profile", rules.name());
  }
}
