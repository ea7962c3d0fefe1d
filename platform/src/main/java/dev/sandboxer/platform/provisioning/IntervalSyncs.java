package dev.sandboxer.platform.provisioning;

import static io.quarkus.scheduler.Scheduled.ConcurrentExecution.SKIP;

import dev.sandboxer.platform.copy.CopyRows;
import dev.sandboxer.platform.sandbox.Sandbox;
import dev.sandboxer.platform.sandbox.Sandboxes;
import dev.sandboxer.platform.trace.LogFields;
import io.quarkus.scheduler.Scheduled;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import org.jboss.logging.Logger;
import org.jdbi.v3.core.Jdbi;

/**
 * Brings copied folders back at their intervals, some side by side. What fails, is cut off or is
 * still running when it is due again is left to the next interval.
 */
@ApplicationScoped
class IntervalSyncs {

  private static final Logger LOG = Logger.getLogger(IntervalSyncs.class);
  private static final int AT_ONCE = 4;

  private final Jdbi jdbi;
  private final Sandboxes sandboxes;
  private final Attempts attempts;
  private final CopyRows rows;
  private final CopyBacks copies;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Semaphore room = new Semaphore(AT_ONCE, true);

  /** Attempts that wait or are synced: a slow one must not take the room of others. */
  private final Set<String> taken = ConcurrentHashMap.newKeySet();

  IntervalSyncs(
      Jdbi jdbi, Sandboxes sandboxes, Attempts attempts, CopyRows rows, CopyBacks copies) {
    this.jdbi = jdbi;
    this.sandboxes = sandboxes;
    this.attempts = attempts;
    this.rows = rows;
    this.copies = copies;
  }

  /** Begins with what is due, and waits for none of it. */
  @RunOnVirtualThread
  @Scheduled(identity = "copy-backs", every = "1s", concurrentExecution = SKIP)
  void takeDue() {
    for (String attemptId : rows.takeDue()) {
      if (taken.add(attemptId)) {
        threads.execute(() -> syncInRoom(attemptId));
      }
    }
  }

  private void syncInRoom(String attemptId) {
    try {
      room.acquire();
      try {
        sync(attemptId);
      } finally {
        room.release();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      LOG.warnf("sync failed attempt=%s reason=%s", attemptId, e);
    } finally {
      taken.remove(attemptId);
    }
  }

  private void sync(String attemptId) throws InterruptedException {
    Optional<Attempt> attempt = jdbi.withHandle(open -> attempts.find(open, attemptId));
    Optional<Sandbox> sandbox = attempt.flatMap(one -> sandboxes.find(one.sandboxId()));
    if (sandbox.isPresent()) {
      LogFields.sandbox(sandbox.get().id());
      var _ = copies.sync(sandbox.get());
    }
  }

  /** Ends without waiting: a merge that is cut off is made again. */
  @PreDestroy
  void stop() {
    threads.shutdownNow();
  }
}
