package dev.sandboxer.platform.provisioning;

import static io.quarkus.scheduler.Scheduled.ConcurrentExecution.SKIP;

import dev.sandboxer.platform.host.GoneNodes;
import dev.sandboxer.platform.host.Hosts;
import dev.sandboxer.platform.routing.RoutingJson;
import dev.sandboxer.platform.routing.WhenLost;
import dev.sandboxer.platform.sandbox.Change;
import dev.sandboxer.platform.sandbox.Condition;
import dev.sandboxer.platform.sandbox.Sandbox;
import dev.sandboxer.platform.sandbox.SandboxState;
import dev.sandboxer.platform.sandbox.Sandboxes;
import dev.sandboxer.spi.ErrorCode;
import io.quarkus.scheduler.Scheduled;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.List;
import org.jdbi.v3.core.Jdbi;

/**
 * Live sandboxes that only a node that is gone could reach. Their records say so, and then their
 * profile's {@code on_lost} applies. What such a node still runs of a sandbox that was recreated or
 * has failed is clean-up debt, which the node pays when it is back.
 *
 * <p>Every node does this; the changes are conditional, so each happens once.
 */
@ApplicationScoped
class LostSandboxes {

  private static final String MARKED = "conditions @> '[{\"type\": \"unreachable\"}]'";

  private static final String LOST =
      """
      select s.* from sandbox s join host h on h.id = s.host_id
      where h.node_id = :gone and s.desired = 'running' and s.state in ('ready', 'active')
      order by s.created_at
      """;

  private static final String FOUND =
      """
      select s.* from sandbox s join host h on h.id = s.host_id join node n on n.id = h.node_id
      where s.%s and s.desired = 'running' and s.state in ('ready', 'active')
        and (n.id = :node or n.lease_until > clock_timestamp())
      """
          .formatted(MARKED);

  private static final String UNMARKED =
      """
      (select coalesce(jsonb_agg(c), '[]') from jsonb_array_elements(conditions) c
       where c ->> 'type' <> 'unreachable')
      """;

  private final Jdbi jdbi;
  private final Hosts hosts;
  private final GoneNodes goneNodes;
  private final Sandboxes sandboxes;
  private final LifeCheck lives;
  private final RoutingJson routing;
  private final Relocation relocation;
  private final Json json;

  LostSandboxes(
      Jdbi jdbi,
      Hosts hosts,
      GoneNodes goneNodes,
      Sandboxes sandboxes,
      LifeCheck lives,
      RoutingJson routing,
      Relocation relocation,
      Json json) {
    this.jdbi = jdbi;
    this.hosts = hosts;
    this.goneNodes = goneNodes;
    this.sandboxes = sandboxes;
    this.lives = lives;
    this.routing = routing;
    this.relocation = relocation;
    this.json = json;
  }

  /** Handles the sandboxes of each gone node, and unmarks those whose node is back. */
  @RunOnVirtualThread
  @Scheduled(identity = "lost sandboxes", every = "2s", concurrentExecution = SKIP)
  void pass() {
    rows(FOUND, "node", hosts.node().id()).forEach(this::unmark);
    goneNodes
        .silent()
        .forEach(
            (node, silent) ->
                rows(LOST, "gone", node).forEach(sandbox -> lost(sandbox, node, silent)));
  }

  private List<Sandbox> rows(String statement, String name, String node) {
    return jdbi.withHandle(open -> sandboxes.rows(open.createQuery(statement).bind(name, node)));
  }

  private void unmark(Sandbox sandbox) {
    var _ =
        sandboxes.apply(
            Change.note(sandbox.id(), "sandbox.reachable")
                .generation(sandbox.generation())
                .from(SandboxState.READY, SandboxState.ACTIVE)
                .when(MARKED)
                .setSql("conditions", UNMARKED));
  }

  private void lost(Sandbox sandbox, String node, Duration silent) {
    mark(sandbox, node);
    WhenLost then = routing.of(sandbox).whenLost();
    if (!then.due(silent)) {
      return;
    }
    if (then.action() == WhenLost.Action.RECREATE) {
      relocation.relocate(sandbox);
    } else {
      var _ = lives.fail(sandbox, ErrorCode.UNAVAILABLE, "its " + gone(node));
    }
  }

  private void mark(Sandbox sandbox, String node) {
    Condition unreachable = new Condition("unreachable", List.of(gone(node)));
    var _ =
        sandboxes.apply(
            Change.note(sandbox.id(), "sandbox.unreachable")
                .generation(sandbox.generation())
                .from(SandboxState.READY, SandboxState.ACTIVE)
                .when("desired = 'running'")
                .when("not " + MARKED)
                .setSql(
                    "conditions",
                    "conditions || cast(:unreachable as jsonb)",
                    "unreachable",
                    json.text(List.of(unreachable)))
                .detail("node", node));
  }

  private static String gone(String node) {
    return "node " + node + " is gone";
  }
}
