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
import java.util.function.UnaryOperator;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.statement.Query;
import org.jspecify.annotations.Nullable;

/**
 * Live sandboxes that only a node that is gone could reach, and those of a host that all nodes
 * reach and that is silent. Their records say so, and then their profile's {@code on_lost} applies.
 * What still runs there of a sandbox that was recreated or has failed is clean-up debt, which is
 * paid when node or host are back.
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

  /** Of such a host, those that this node looks after. */
  private static final String LOST_HERE =
      """
      select s.* from sandbox s join host h on h.id = s.host_id join attempt a on a.id = s.attempt_id
      where h.id = :host and h.node_id is null and s.desired = 'running'
        and s.state in ('ready', 'active')
        and (a.node_id = :node or not exists (
          select 1 from node n where n.id = a.node_id and n.lease_until > clock_timestamp()))
      order by s.created_at
      """;

  private static final String FOUND =
      """
      select s.* from sandbox s join host h on h.id = s.host_id join node n on n.id = h.node_id
      where s.%s and s.desired = 'running' and s.state in ('ready', 'active')
        and (n.id = :node or n.lease_until > clock_timestamp())
      """
          .formatted(MARKED);

  private static final String FOUND_HERE =
      """
      select s.* from sandbox s join host h on h.id = s.host_id
      where h.id = any(:hosts) and h.node_id is null and s.%s and s.desired = 'running'
        and s.state in ('ready', 'active')
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
  private final SilentHosts silentHosts;
  private final Sandboxes sandboxes;
  private final LifeCheck lives;
  private final RoutingJson routing;
  private final Relocation relocation;
  private final Json json;

  LostSandboxes(
      Jdbi jdbi,
      Hosts hosts,
      GoneNodes goneNodes,
      SilentHosts silentHosts,
      Sandboxes sandboxes,
      LifeCheck lives,
      RoutingJson routing,
      Relocation relocation,
      Json json) {
    this.jdbi = jdbi;
    this.hosts = hosts;
    this.goneNodes = goneNodes;
    this.silentHosts = silentHosts;
    this.sandboxes = sandboxes;
    this.lives = lives;
    this.routing = routing;
    this.relocation = relocation;
    this.json = json;
  }

  /**
   * Why they cannot be reached.
   *
   * @param node that is gone, null if it is the host that does not answer
   * @param text for a person
   */
  private record Cause(@Nullable String node, String text) {}

  /** Handles those of each gone node and silent host, and unmarks those whose own is back. */
  @RunOnVirtualThread
  @Scheduled(identity = "lost sandboxes", every = "2s", concurrentExecution = SKIP)
  void pass() {
    String node = hosts.node().id();
    rows(FOUND, query -> query.bind("node", node)).forEach(this::unmark);
    Object[] answering = silentHosts.answering().toArray();
    rows(FOUND_HERE, query -> query.bindArray("hosts", String.class, answering))
        .forEach(this::unmark);
    goneNodes
        .silent()
        .forEach(
            (gone, silent) ->
                lost(
                    rows(LOST, query -> query.bind("gone", gone)),
                    new Cause(gone, "node " + gone + " is gone"),
                    silent));
    silentHosts
        .silent()
        .forEach(
            (host, silent) ->
                lost(
                    rows(LOST_HERE, query -> query.bind("host", host).bind("node", node)),
                    new Cause(null, "host " + host + " does not answer"),
                    silent));
  }

  private List<Sandbox> rows(String statement, UnaryOperator<Query> bound) {
    return jdbi.withHandle(open -> sandboxes.rows(bound.apply(open.createQuery(statement))));
  }

  private void lost(List<Sandbox> there, Cause cause, Duration silent) {
    there.forEach(sandbox -> lost(sandbox, cause, silent));
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

  private void lost(Sandbox sandbox, Cause cause, Duration silent) {
    mark(sandbox, cause);
    WhenLost then = routing.of(sandbox).whenLost();
    if (!then.due(silent)) {
      return;
    }
    if (then.action() == WhenLost.Action.RECREATE) {
      relocation.relocate(sandbox);
    } else {
      var _ = lives.fail(sandbox, ErrorCode.UNAVAILABLE, "its " + cause.text());
    }
  }

  private void mark(Sandbox sandbox, Cause cause) {
    Condition unreachable = new Condition("unreachable", List.of(cause.text()));
    Change marked =
        Change.note(sandbox.id(), "sandbox.unreachable")
            .generation(sandbox.generation())
            .from(SandboxState.READY, SandboxState.ACTIVE)
            .when("desired = 'running'")
            .when("not " + MARKED)
            .setSql(
                "conditions",
                "conditions || cast(:unreachable as jsonb)",
                "unreachable",
                json.text(List.of(unreachable)));
    @Nullable String node = cause.node();
    var _ = sandboxes.apply(node == null ? marked : marked.detail("node", node));
  }
}
