package dev.sandboxer.platform.provisioning;

import dev.sandboxer.platform.host.Hosts;
import dev.sandboxer.platform.id.SandboxId;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import org.jboss.logging.Logger;
import org.jdbi.v3.core.Jdbi;

/**
 * Opens the transports again that have not outlived a restart, before anybody needs them. What
 * fails here is tried again with the next request.
 */
@ApplicationScoped
public class Adoption {

  private static final Logger LOG = Logger.getLogger(Adoption.class);
  private static final int AT_ONCE = 8;

  private static final String LIVE =
      """
      select s.id from sandbox s join attempt a on a.id = s.attempt_id
      where s.state in ('ready', 'active') and (a.dataplane ->> 'streams')::boolean
        and a.host_id in (%s)
      order by s.created_at
      """
          .formatted(Claims.REACHABLE);

  private final Jdbi jdbi;
  private final Hosts hosts;
  private final ReachableSandboxes reachable;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Semaphore room = new Semaphore(AT_ONCE);

  Adoption(Jdbi jdbi, Hosts hosts, ReachableSandboxes reachable) {
    this.jdbi = jdbi;
    this.hosts = hosts;
    this.reachable = reachable;
  }

  /** Begins; does not wait for the extensions. */
  public void start() {
    List<SandboxId> live =
        jdbi.withHandle(
            handle ->
                handle
                    .createQuery(LIVE)
                    .bind("node", hosts.node().id())
                    .mapTo(SandboxId.class)
                    .list());
    live.forEach(id -> threads.execute(() -> adopt(id)));
  }

  private void adopt(SandboxId id) {
    room.acquireUninterruptibly();
    try {
      var _ = reachable.load(id);
    } catch (RuntimeException e) {
      LOG.warnf("sandbox is adopted with its next request sandbox=%s reason=%s", id, e);
    } finally {
      room.release();
    }
  }

  /** Ends without waiting. */
  public void stop() {
    threads.shutdownNow();
  }
}
