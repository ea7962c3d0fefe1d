package dev.sandboxer.platform.provisioning;

import static io.quarkus.scheduler.Scheduled.ConcurrentExecution.SKIP;

import dev.sandboxer.platform.egress.EgressProxy.EgressException;
import dev.sandboxer.platform.host.Hosts;
import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.sandbox.Sandbox;
import dev.sandboxer.platform.sandbox.Sandboxes;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.secret.SecretException;
import io.quarkus.scheduler.Scheduled;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import org.jboss.logging.Logger;
import org.jdbi.v3.core.Jdbi;

/** Opens the ways out again after a restart or the loss of a node, and closes what others ended. */
@ApplicationScoped
class WaysOutKeeping {

  private static final Logger LOG = Logger.getLogger(WaysOutKeeping.class);

  /** Of each attempt one node takes care, as it watches it. */
  private static final String WITH_NETWORK =
      """
      select s.id, a.id as attempt_id, s.state in ('ready', 'active') as live
      from sandbox s join attempt a on a.id = s.attempt_id join host h on h.id = a.host_id
      where s.state in ('provisioning', 'resuming', 'ready', 'active')
        and s.spec -> 'network' ->> 'mode' <> 'NONE'
        and (h.node_id = :node or (h.node_id is null and (a.node_id = :node or not exists (
          select 1 from node n where n.id = a.node_id and n.lease_until > clock_timestamp()))))
      """;

  private final Jdbi jdbi;
  private final Hosts hosts;
  private final Sandboxes sandboxes;
  private final Attempts attempts;
  private final AttemptAddresses addresses;
  private final WaysOut ways;

  WaysOutKeeping(
      Jdbi jdbi,
      Hosts hosts,
      Sandboxes sandboxes,
      Attempts attempts,
      AttemptAddresses addresses,
      WaysOut ways) {
    this.jdbi = jdbi;
    this.hosts = hosts;
    this.sandboxes = sandboxes;
    this.attempts = attempts;
    this.addresses = addresses;
    this.ways = ways;
  }

  private record Wanted(SandboxId id, String attemptId, boolean live) {}

  @RunOnVirtualThread
  @Scheduled(identity = "ways-out", every = "2s", concurrentExecution = SKIP)
  void keep() {
    List<Wanted> wanted =
        jdbi.withHandle(
            open ->
                open.createQuery(WITH_NETWORK)
                    .bind("node", hosts.node().id())
                    .map(
                        (row, _) ->
                            new Wanted(
                                new SandboxId(row.getString("id")),
                                row.getString("attempt_id"),
                                row.getBoolean("live")))
                    .list());
    ways.closeBut(wanted.stream().map(Wanted::id).collect(Collectors.toSet()));
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (Wanted one : wanted) {
        if (one.live() && !ways.has(one.id(), one.attemptId())) {
          var _ = threads.submit(() -> open(one)); // side by side: one boxd may not answer
        }
      }
    }
  }

  /** What cannot be opened now is tried again the next time. */
  private void open(Wanted one) {
    Optional<Attempt> attempt = jdbi.withHandle(open -> attempts.find(open, one.attemptId()));
    Optional<Sandbox> sandbox = sandboxes.find(one.id());
    if (attempt.isEmpty() || sandbox.isEmpty()) {
      return;
    }
    try {
      ways.open(sandbox.get(), attempt.get(), addresses.of(attempt.get()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (EgressException | ExtensionException | SecretException | RuntimeException e) {
      LOG.warnf(
          "no way out sandbox=%s attempt=%s reason=%s",
          sandbox.get().publicId(), one.attemptId(), e.getMessage());
    }
  }
}
