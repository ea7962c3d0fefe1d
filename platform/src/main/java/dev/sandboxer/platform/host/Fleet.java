package dev.sandboxer.platform.host;

import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;
import jakarta.enterprise.context.ApplicationScoped;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jdbi.v3.core.Jdbi;

/**
 * All hosts with their load, at most a quarter of a second old. What this node has planned since
 * then is added, so that creates at the same time do not all choose the same host. Whether a host
 * really has room is decided when a sandbox is recorded.
 */
@ApplicationScoped
public class Fleet {

  private static final Duration AGE = Duration.ofMillis(250);
  private static final String ALL = HostRows.SELECT + " where h.removed_at is null order by h.id";

  private final Jdbi jdbi;
  private final HostRows rows;
  private final LoadingCache<Boolean, List<Host>> kept =
      Caffeine.newBuilder().expireAfterWrite(AGE).executor(Runnable::run).build(_ -> read());

  Fleet(Jdbi jdbi, HostRows rows) {
    this.jdbi = jdbi;
    this.rows = rows;
  }

  /**
   * All hosts.
   *
   * @return in order of their names
   */
  public List<Host> hosts() {
    return kept.get(true);
  }

  /**
   * Counts a sandbox that is about to be recorded.
   *
   * @param hostId where
   * @param cpus of the sandbox
   * @param memoryBytes of the sandbox
   */
  public void planned(String hostId, BigDecimal cpus, long memoryBytes) {
    UnaryOperator<Host> more =
        host -> host.ref().id().equals(hostId) ? host.with(cpus, memoryBytes) : host;
    var _ = kept.asMap().computeIfPresent(true, (_, hosts) -> hosts.stream().map(more).toList());
  }

  /** Drops the snapshot: the next call queries the database. */
  public void changed() {
    kept.invalidateAll();
  }

  /**
   * One host, as the database has it.
   *
   * @param id its name
   * @return empty if there is none
   */
  public Optional<Host> find(String id) {
    return jdbi.withHandle(
        open ->
            open.createQuery(HostRows.SELECT + " where h.removed_at is null and h.id = :id")
                .bind("id", id)
                .map((row, _) -> rows.host(row))
                .findOne());
  }

  private List<Host> read() {
    return jdbi.withHandle(open -> open.createQuery(ALL).map((row, _) -> rows.host(row)).list());
  }
}
