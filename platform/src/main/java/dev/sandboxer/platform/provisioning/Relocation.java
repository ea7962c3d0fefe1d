package dev.sandboxer.platform.provisioning;

import dev.sandboxer.platform.ops.Failpoints;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.platform.routing.Plan;
import dev.sandboxer.platform.routing.Planner;
import dev.sandboxer.platform.routing.RoutingJson;
import dev.sandboxer.platform.sandbox.Sandbox;
import jakarta.enterprise.context.ApplicationScoped;
import org.jboss.logging.Logger;

/** Establishes a live sandbox again on another host, as its next generation. */
@ApplicationScoped
class Relocation {

  private static final Logger LOG = Logger.getLogger(Relocation.class);

  private final Planner planner;
  private final RoutingJson routing;
  private final Creates creates;
  private final Failpoints failpoints;

  Relocation(Planner planner, RoutingJson routing, Creates creates, Failpoints failpoints) {
    this.failpoints = failpoints;
    this.planner = planner;
    this.routing = routing;
    this.creates = creates;
  }

  /**
   * Relocates a sandbox, unless no other host accepts it or somebody else has changed it; then it
   * stays as it is, and may be tried again.
   *
   * @param sandbox as read
   */
  void relocate(Sandbox sandbox) {
    try {
      Plan plan = planner.plan(routing.query(sandbox));
      if (!plan.candidates().isEmpty()) {
        failpoints.reach("relocate.planned");
        var _ = creates.recreate(sandbox, sandbox.generation(), plan);
        failpoints.reach("relocate.moved");
      }
    } catch (ProblemException e) {
      LOG.infof(
          "sandbox stays on its host for now sandbox=%s reason=%s",
          sandbox.publicId(), e.getMessage());
    }
  }
}
