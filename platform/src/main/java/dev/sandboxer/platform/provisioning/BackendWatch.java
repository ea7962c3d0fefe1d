package dev.sandboxer.platform.provisioning;

import static io.quarkus.scheduler.Scheduled.ConcurrentExecution.SKIP;

import dev.sandboxer.platform.host.Hosts;
import dev.sandboxer.platform.sandbox.Sandbox;
import dev.sandboxer.platform.sandbox.Sandboxes;
import io.quarkus.scheduler.Scheduled;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import org.jdbi.v3.core.Jdbi;

/**
 * Looks, from the backend's side, whether live sandboxes still live. One that has ended or vanished
 * fails once, and what it left is torn down. A backend that does not answer changes nothing.
 */
@ApplicationScoped
class BackendWatch {

  /** On a host that all nodes reach, those that this node made, or one that is gone. */
  private static final String LIVE =
      """
      select s.* from sandbox s join host h on h.id = s.host_id
        join attempt a on a.id = s.attempt_id
      where s.state in ('ready', 'active')
        and (h.node_id = :node or (h.node_id is null and (a.node_id = :node or not exists (
          select 1 from node n where n.id = a.node_id and n.lease_until > clock_timestamp()))))
      """;

  private final Jdbi jdbi;
  private final Sandboxes sandboxes;
  private final LifeCheck lives;
  private final Hosts hosts;

  BackendWatch(Jdbi jdbi, Sandboxes sandboxes, LifeCheck lives, Hosts hosts) {
    this.jdbi = jdbi;
    this.sandboxes = sandboxes;
    this.lives = lives;
    this.hosts = hosts;
  }

  /** Inspects every live sandbox of this node. */
  @RunOnVirtualThread
  @Scheduled(identity = "watch", every = "2s", concurrentExecution = SKIP)
  void look() {
    List<Sandbox> live =
        jdbi.withHandle(
            handle -> sandboxes.rows(handle.createQuery(LIVE).bind("node", hosts.node().id())));
    live.forEach(lives::check);
  }
}
