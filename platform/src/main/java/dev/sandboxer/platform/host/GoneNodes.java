package dev.sandboxer.platform.host;

import static io.quarkus.scheduler.Scheduled.ConcurrentExecution.SKIP;

import io.quarkus.scheduler.Scheduled;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * Nodes that no longer run, as observed by this node. An expired lease is not enough, because a
 * step of the database's clock expires all leases at once: the lease must also have kept its value
 * for {@link #GRACE} by this process's monotonic clock.
 */
@ApplicationScoped
public class GoneNodes {

  /**
   * As long as a lease, and as long as a node that has lost its database goes on serving
   * (sessions.md): after it nobody reaches a sandbox through that node.
   */
  public static final Duration GRACE = Duration.ofSeconds(30);

  private final Jdbi jdbi;
  private final Hosts hosts;
  private volatile Map<String, Seen> seen = Map.of();

  GoneNodes(Jdbi jdbi, Hosts hosts) {
    this.jdbi = jdbi;
    this.hosts = hosts;
  }

  private record Seen(String node, Instant lease, boolean over, long sinceNanos) {

    Duration unchanged() {
      return Duration.ofNanos(System.nanoTime() - sinceNanos);
    }

    boolean gone() {
      return over && unchanged().compareTo(GRACE) >= 0;
    }
  }

  /** Reads all leases but this node's own. */
  @RunOnVirtualThread
  @Scheduled(identity = "gone nodes", every = "2s", concurrentExecution = SKIP)
  void look() {
    Map<String, Seen> before = seen;
    long now = System.nanoTime();
    seen =
        read(now).stream()
            .map(one -> since(one, before.get(one.node())))
            .collect(Collectors.toUnmodifiableMap(Seen::node, Function.identity()));
  }

  private List<Seen> read(long now) {
    return jdbi.withHandle(
        open ->
            open.createQuery(
                    """
                    select id, lease_until, lease_until < clock_timestamp() as over
                    from node where id <> :node
                    """)
                .bind("node", hosts.node().id())
                .map(
                    (row, _) ->
                        new Seen(
                            row.getString("id"),
                            row.getObject("lease_until", OffsetDateTime.class).toInstant(),
                            row.getBoolean("over"),
                            now))
                .list());
  }

  private static Seen since(Seen now, @Nullable Seen before) {
    return before != null && before.lease().equals(now.lease())
        ? new Seen(now.node(), now.lease(), now.over(), before.sinceNanos())
        : now;
  }

  /**
   * Those that are gone.
   *
   * @return ids
   */
  public Set<String> ids() {
    return silent().keySet();
  }

  /**
   * How long each of those that are gone has been silent, as far as this node knows: from the last
   * renewal of its lease, or from this node's own start.
   *
   * @return at least {@link #GRACE} each
   */
  public Map<String, Duration> silent() {
    Map<String, Duration> silent = new HashMap<>();
    seen.values().stream()
        .filter(Seen::gone)
        .forEach(one -> silent.put(one.node(), one.unchanged()));
    return silent;
  }
}
