package dev.sandboxer.platform.host;

import static io.quarkus.scheduler.Scheduled.ConcurrentExecution.SKIP;

import dev.sandboxer.platform.extension.ExtensionRegistry;
import dev.sandboxer.platform.extension.Probes;
import dev.sandboxer.spi.HostRef;
import dev.sandboxer.spi.Limit;
import dev.sandboxer.spi.Probing;
import io.quarkus.scheduler.Scheduled;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import org.jboss.logging.Logger;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * Tries registered hosts, each by a node that reaches it: one that works every five minutes, one
 * that does not every fifteen seconds. What was found is kept for all nodes.
 */
@ApplicationScoped
class HostProbes {

  private static final Logger LOG = Logger.getLogger(HostProbes.class);
  private static final Duration GOOD = Duration.ofMinutes(5);
  private static final Duration BAD = Duration.ofSeconds(15);

  /**
   * The due time is moved first, so that no other node tries at the same time. What was never tried
   * has no time.
   */
  private static final String CLAIM =
      """
      with due as (
        insert into host_probe (host_id, extension_id, usable, probed_at, due_at)
        select h.id, h.extension_id, true, to_timestamp(0),
          clock_timestamp() + make_interval(secs => :seconds)
        from host h
        where h.extension_id = any(:extensions) and h.removed_at is null
          and (h.node_id = :node or h.node_id is null)
        on conflict (host_id, extension_id) do update
          set due_at = clock_timestamp() + make_interval(secs => :seconds)
          where host_probe.due_at <= clock_timestamp()
        returning host_id)
      select %s, h.extension_id from due join host h on h.id = due.host_id
      """
          .formatted(HostRows.REF);

  private static final String FOUND =
      """
      update host_probe set usable = :usable, not_enforced = :notEnforced, cpus = :cpus,
        memory_bytes = :memory, runtimes = string_to_array(:runtimes, ' '), detail = :detail,
        probed_at = clock_timestamp(),
        due_at = clock_timestamp() + make_interval(secs => :seconds)
      where host_id = :host and extension_id = :extension
      """;

  private final Jdbi jdbi;
  private final Hosts hosts;
  private final HostRows rows;
  private final Probes probes;
  private final ExtensionRegistry registry;
  private final Fleet fleet;

  HostProbes(
      Jdbi jdbi,
      Hosts hosts,
      HostRows rows,
      Probes probes,
      ExtensionRegistry registry,
      Fleet fleet) {
    this.jdbi = jdbi;
    this.hosts = hosts;
    this.rows = rows;
    this.probes = probes;
    this.registry = registry;
    this.fleet = fleet;
  }

  private record Due(String extension, HostRef host) {}

  /** Probes all due hosts concurrently and waits for the results. */
  @RunOnVirtualThread
  @Scheduled(identity = "host probes", every = "2s", concurrentExecution = SKIP)
  void pass() {
    List<Due> due = claim();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      due.forEach(one -> threads.execute(() -> probe(one)));
    }
    if (!due.isEmpty()) {
      fleet.changed();
    }
  }

  private List<Due> claim() {
    return jdbi.withHandle(
        open ->
            open.createQuery(CLAIM)
                .bind("node", hosts.node().id())
                .bindArray("extensions", String.class, registry.callable().toArray())
                .bind("seconds", BAD.toSeconds())
                .map((row, _) -> new Due(row.getString("extension_id"), rows.ref(row)))
                .list());
  }

  private void probe(Due due) {
    Probes.Probed probed = probes.of(due.extension(), due.host(), Duration.ZERO);
    Optional<Probing.Probe> found = probed.probe();
    boolean usable = found.map(Probing.Probe::usable).orElse(probed.failure() == null);
    @Nullable String detail = usable ? null : detail(probed);
    if (!usable) {
      LOG.warnf(
          "host cannot be used host=%s extension=%s reason=%s",
          due.host().id(), due.extension(), detail);
    }
    Optional<Probing.Room> room = found.flatMap(Probing.Probe::room);
    jdbi.useHandle(
        open ->
            open.createUpdate(FOUND)
                .bind("host", due.host().id())
                .bind("extension", due.extension())
                .bind("usable", usable)
                .bindArray("notEnforced", String.class, notEnforced(found))
                .bind("cpus", room.map(Probing.Room::cpus).orElse(null))
                .bind("memory", room.map(Probing.Room::memoryBytes).orElse(null))
                .bind("runtimes", found.flatMap(HostProbes::runtimes).orElse(null))
                .bind("detail", detail)
                .bind("seconds", (usable ? GOOD : BAD).toSeconds())
                .execute());
  }

  private static Object[] notEnforced(Optional<Probing.Probe> found) {
    return found.stream()
        .flatMap(probe -> probe.notEnforced().stream())
        .map(Limit::name)
        .map(name -> name.toLowerCase(Locale.ROOT))
        .toArray();
  }

  /** No name of a runtime has a space. */
  private static Optional<String> runtimes(Probing.Probe probe) {
    return probe.runtimes().map(names -> String.join(" ", names));
  }

  private static String detail(Probes.Probed probed) {
    @Nullable String failure = probed.failure();
    return failure != null
        ? failure
        : probed.probe().stream()
            .flatMap(probe -> probe.checks().stream())
            .filter(check -> !check.ok())
            .map(HostProbes::sentence)
            .collect(Collectors.joining("; "));
  }

  private static String sentence(Probing.Check check) {
    @Nullable String remedy = check.remedy();
    return "%s: %s%s"
        .formatted(check.name(), check.detail(), remedy == null ? "" : " (" + remedy + ")");
  }
}
