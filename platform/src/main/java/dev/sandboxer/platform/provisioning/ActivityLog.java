package dev.sandboxer.platform.provisioning;

import static io.quarkus.scheduler.Scheduled.ConcurrentExecution.SKIP;

import dev.sandboxer.platform.dataplane.DataplaneTargets;
import dev.sandboxer.platform.dataplane.OpenStreams;
import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.sandbox.Change;
import dev.sandboxer.platform.sandbox.Sandbox;
import dev.sandboxer.platform.sandbox.SandboxState;
import dev.sandboxer.platform.sandbox.Sandboxes;
import dev.sandboxer.platform.sandbox.Transition;
import dev.sandboxer.platform.sandbox.TransitionListener;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.scheduler.Scheduled;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Instance;
import jakarta.interceptor.Interceptor;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.statement.PreparedBatch;

/**
 * Counts the use of each dataplane, in requests and bytes, and writes it in batches; the first use
 * makes it active.
 */
@ApplicationScoped
class ActivityLog implements TransitionListener {

  private static final String UPSERT =
      """
      insert into activity (sandbox_id, last_used_at, requests, bytes)
      select id, clock_timestamp(), :requests, :bytes from sandbox where id = :id
      on conflict (sandbox_id) do update
        set last_used_at = excluded.last_used_at, requests = activity.requests + excluded.requests,
          bytes = activity.bytes + excluded.bytes
      """;

  private final Jdbi jdbi;
  private final Instance<Sandboxes> sandboxes;
  private final OpenStreams streams;
  private final Map<SandboxId, LongAdder> counts = new ConcurrentHashMap<>();
  private final Map<SandboxId, LongAdder> bytes = new ConcurrentHashMap<>();
  private final Set<SandboxId> active = ConcurrentHashMap.newKeySet();

  ActivityLog(Jdbi jdbi, Instance<Sandboxes> sandboxes, OpenStreams streams) {
    this.jdbi = jdbi;
    this.sandboxes = sandboxes;
    this.streams = streams;
  }

  void used(SandboxId sandboxId) {
    counts.computeIfAbsent(sandboxId, _ -> new LongAdder()).increment();
    if (active.add(sandboxId)) {
      Thread.startVirtualThread(() -> activate(sandboxId));
    }
  }

  void moved(SandboxId sandboxId, long moved) {
    bytes.computeIfAbsent(sandboxId, _ -> new LongAdder()).add(moved);
  }

  private void stillUsed(DataplaneTargets.Target target) {
    var _ = counts.computeIfAbsent(target.sandboxId(), _ -> new LongAdder());
  }

  /** Makes a ready sandbox active; one that is active stays as it is. */
  void activate(SandboxId sandboxId) {
    var _ =
        sandboxes
            .get()
            .apply(
                Change.to(sandboxId, SandboxState.ACTIVE)
                    .setSql("active_at", "coalesce(active_at, clock_timestamp())"));
  }

  @Override
  public void changed(Handle transaction, Transition transition) {
    Sandbox sandbox = transition.sandbox();
    if (sandbox.state() != SandboxState.ACTIVE) {
      active.remove(sandbox.id());
    }
  }

  /** After the ordered stop: a database that is away must not keep the rest of it from running. */
  void flushLast(@Observes @Priority(Interceptor.Priority.PLATFORM_AFTER) ShutdownEvent end) {
    flush();
  }

  /** Writes what was counted since the last time. What could not be written is counted on. */
  @RunOnVirtualThread
  @Scheduled(identity = "activity", every = "1s", concurrentExecution = SKIP)
  void flush() {
    // A stream that stays open is use, for as long as it does.
    streams.targets().forEach(this::stillUsed);
    if (counts.isEmpty() && bytes.isEmpty()) {
      return;
    }
    Set<SandboxId> ids = new HashSet<>(counts.keySet());
    ids.addAll(bytes.keySet());
    List<Use> uses =
        ids.stream().map(id -> new Use(id, taken(counts, id), taken(bytes, id))).toList();
    boolean written = false;
    try {
      jdbi.useTransaction(transaction -> write(transaction, uses));
      written = true;
    } finally {
      if (!written) {
        uses.forEach(this::giveBack);
      }
    }
  }

  private static void write(Handle transaction, List<Use> uses) {
    PreparedBatch batch = transaction.prepareBatch(UPSERT);
    for (Use use : uses) {
      batch
          .bind("id", use.sandboxId())
          .bind("requests", use.requests())
          .bind("bytes", use.bytes())
          .add();
    }
    batch.execute();
  }

  private void giveBack(Use use) {
    counts.computeIfAbsent(use.sandboxId(), _ -> new LongAdder()).add(use.requests());
    bytes.computeIfAbsent(use.sandboxId(), _ -> new LongAdder()).add(use.bytes());
  }

  private static long taken(Map<SandboxId, LongAdder> from, SandboxId id) {
    LongAdder count = from.remove(id);
    return count == null ? 0 : count.sum();
  }

  private record Use(SandboxId sandboxId, long requests, long bytes) {}
}
