package dev.sandboxer.platform.audit;

import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jboss.logging.Logger;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.statement.PreparedBatch;
import org.jspecify.annotations.Nullable;

/**
 * Takes entries and writes them in batches. What was taken is written also when the node stops in
 * good order, and kept while the database is away, until the queue is full: then requests wait, and
 * what no request can wait for is counted and logged. A row that the database refuses is dropped
 * and logged, so that it holds up no other.
 */
@ApplicationScoped
public class AuditLog {

  private static final Logger LOG = Logger.getLogger(AuditLog.class);
  private static final int CAPACITY = 50_000;
  private static final int BATCH = 1_000;
  private static final Duration PATIENCE = Duration.ofSeconds(5);
  private static final Duration LAST_PATIENCE = Duration.ofSeconds(20);
  private static final Duration GATHERING = Duration.ofMillis(50);
  private static final Duration RETRY = Duration.ofMillis(500);

  private static final String INSERT =
      """
      insert into audit (at, request_id, caller, user_id, tenant_id, scope_type, scope_id,
        session_id, sandbox_id, action, result, address)
      values (:moment, :requestId, :caller, :userId, :tenantId, :scopeType, :scopeId,
        :sessionId, :sandboxId, :action, :result, :address)
      """;

  private final Jdbi jdbi;
  private final BlockingQueue<AuditEntry> queue = new ArrayBlockingQueue<>(CAPACITY);
  private final AtomicLong lost = new AtomicLong();
  private volatile boolean stopping;
  private volatile boolean ended;
  private volatile @Nullable Thread writer;

  AuditLog(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /**
   * Takes an entry, and waits while too many are unwritten.
   *
   * @param entry to write
   */
  public void record(AuditEntry entry) {
    try {
      if (!queue.offer(entry, PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
        lose();
      }
      if (ended) {
        writeRest();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      lose();
    }
  }

  /**
   * Writes an entry before this returns, for what must not happen unless it is in the audit.
   * Blocks.
   *
   * @param entry to write
   * @throws RuntimeException if the database does not take it
   */
  public void write(AuditEntry entry) {
    insert(List.of(entry));
  }

  /**
   * Takes an entry on a thread that must not wait.
   *
   * @param entry to write
   */
  public void recordNow(AuditEntry entry) {
    if (!queue.offer(entry)) {
      lose();
    }
  }

  private void lose() {
    long so = lost.incrementAndGet();
    if (Long.bitCount(so) == 1) {
      LOG.errorf("audit entries were lost, the database is too slow or away: count=%d", so);
    }
  }

  /** Begins to write. */
  public void start() {
    writer = Thread.ofVirtual().name("audit").start(this::write);
  }

  /** Writes what is left and ends. */
  public void stop() {
    stopping = true;
    Thread running = writer;
    if (running == null) {
      return;
    }
    try {
      running.join(LAST_PATIENCE);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    ended = true;
    writeRest();
  }

  /** What came after the writer had looked for the last time. */
  private void writeRest() {
    List<AuditEntry> rest = new ArrayList<>();
    queue.drainTo(rest);
    if (!rest.isEmpty()) {
      store(rest);
    }
  }

  private void write() {
    List<AuditEntry> batch = new ArrayList<>();
    while (!(stopping && queue.isEmpty() && batch.isEmpty())) {
      try {
        fill(batch);
        if (!batch.isEmpty()) {
          store(batch);
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      } catch (RuntimeException e) {
        LOG.warnf("audit waits for the database entries=%d reason=%s", batch.size(), e);
        pause();
      }
    }
  }

  private void fill(List<AuditEntry> batch) throws InterruptedException {
    if (batch.isEmpty()) {
      AuditEntry first = queue.poll(100, TimeUnit.MILLISECONDS);
      if (first == null) {
        return;
      }
      batch.add(first);
      gather();
    }
    queue.drainTo(batch, BATCH - batch.size());
  }

  /** What comes within a moment shares the transaction. */
  private void gather() throws InterruptedException {
    if (!stopping) {
      Thread.sleep(GATHERING);
    }
  }

  private static void pause() {
    try {
      Thread.sleep(RETRY);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Empties the batch, but for what must wait for the database. */
  private void store(List<AuditEntry> batch) {
    try {
      insert(batch);
      batch.clear();
    } catch (RuntimeException e) {
      if (!RefusedRow.is(e)) {
        throw e;
      }
      storeSingly(batch);
    }
  }

  private void storeSingly(List<AuditEntry> batch) {
    while (!batch.isEmpty()) {
      AuditEntry entry = batch.getFirst();
      try {
        insert(List.of(entry));
      } catch (RuntimeException e) {
        if (!RefusedRow.is(e)) {
          throw e;
        }
        LOG.errorf(
            "audit entry was dropped, the database refuses it: request_id=%s sqlstate=%s",
            entry.requestId(), RefusedRow.state(e));
      }
      batch.removeFirst();
    }
  }

  private void insert(List<AuditEntry> entries) {
    jdbi.useTransaction(
        open -> {
          PreparedBatch batch = open.prepareBatch(INSERT);
          for (AuditEntry entry : entries) {
            batch.bindMethods(entry).bind("moment", entry.at().atOffset(ZoneOffset.UTC)).add();
          }
          batch.execute();
        });
  }
}
