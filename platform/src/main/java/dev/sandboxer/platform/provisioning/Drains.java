package dev.sandboxer.platform.provisioning;

import static io.quarkus.scheduler.Scheduled.ConcurrentExecution.SKIP;

import dev.sandboxer.platform.host.Hosts;
import dev.sandboxer.platform.host.Running;
import dev.sandboxer.platform.ops.Failpoints;
import dev.sandboxer.platform.sandbox.EndReason;
import dev.sandboxer.platform.sandbox.Sandbox;
import dev.sandboxer.platform.sandbox.Sandboxes;
import io.quarkus.scheduler.Scheduled;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import org.jdbi.v3.core.Jdbi;

/**
 * Empties hosts that are drained. A sandbox that is being established becomes ready first. A
 * sandbox that no other host accepts keeps running, and the next pass retries it.
 */
@ApplicationScoped
class Drains {

  private static final int BATCH = 20;

  /** By a node that reaches the host; by any where that node is gone. */
  private static final String RUNNING =
      """
      select s.* from sandbox s join host h on h.id = s.host_id
      where h.admission = 'draining' and h.running = :running
        and s.state in ('ready', 'active', 'suspended') and s.desired <> 'gone'
        and (h.node_id is null or h.node_id = :node or not exists (
          select 1 from node n where n.id = h.node_id and n.lease_until > clock_timestamp()))
      order by s.created_at limit :limit
      """;

  private final Jdbi jdbi;
  private final Hosts hosts;
  private final Sandboxes sandboxes;
  private final SandboxLifecycle lifecycle;
  private final Relocation relocation;
  private final Failpoints failpoints;

  Drains(
      Jdbi jdbi,
      Hosts hosts,
      Sandboxes sandboxes,
      SandboxLifecycle lifecycle,
      Relocation relocation,
      Failpoints failpoints) {
    this.jdbi = jdbi;
    this.hosts = hosts;
    this.sandboxes = sandboxes;
    this.lifecycle = lifecycle;
    this.relocation = relocation;
    this.failpoints = failpoints;
  }

  /** Drains up to {@value #BATCH} sandboxes of each kind. */
  @RunOnVirtualThread
  @Scheduled(identity = "host drains", every = "2s", concurrentExecution = SKIP)
  void pass() {
    on(Running.END).forEach(this::end);
    on(Running.RECREATE).forEach(relocation::relocate);
  }

  private List<Sandbox> on(Running running) {
    return jdbi.withHandle(
        open ->
            sandboxes.rows(
                open.createQuery(RUNNING)
                    .bind("running", running.text())
                    .bind("node", hosts.node().id())
                    .bind("limit", BATCH)));
  }

  private void end(Sandbox sandbox) {
    failpoints.reach("drain.chosen");
    jdbi.useTransaction(open -> lifecycle.end(open, sandbox.id(), EndReason.DRAINED));
    failpoints.reach("drain.ended");
  }
}
