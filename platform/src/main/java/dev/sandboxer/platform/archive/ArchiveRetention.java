package dev.sandboxer.platform.archive;

import static io.quarkus.scheduler.Scheduled.ConcurrentExecution.SKIP;

import io.quarkus.scheduler.Scheduler;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import org.jboss.logging.Logger;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * Removes archives that no sandbox has any more once their time is over, and uploads that never
 * came to their end. Whoever gives one to a sandbox meanwhile has locked it, or finds it gone.
 */
@ApplicationScoped
public class ArchiveRetention {

  private static final Logger LOG = Logger.getLogger(ArchiveRetention.class);
  private static final Duration PAUSE = Duration.ofSeconds(20);
  private static final int BATCH = 20;

  private static final String OLD =
      """
      select a.id from archive a
      where a.keep_until < clock_timestamp() and not exists (
        select 1 from archive_hold h join sandbox s on s.id = h.sandbox_id
        where h.archive_id = a.id and s.destroyed_at is null)
      limit :batch for update of a skip locked
      """;

  /** A statement of its own: it sees what was committed before the rows were locked. */
  private static final String LET_GO =
      """
      delete from archive_hold h using sandbox s
      where h.archive_id = any(:ids) and s.id = h.sandbox_id and s.destroyed_at is not null
      """;

  private static final String REMOVE =
      """
      delete from archive a
      where a.id = any(:ids) and a.keep_until < clock_timestamp()
        and not exists (select 1 from archive_hold h where h.archive_id = a.id)
      """;

  private final Jdbi jdbi;
  private final Scheduler scheduler;

  ArchiveRetention(Jdbi jdbi, Scheduler scheduler) {
    this.jdbi = jdbi;
    this.scheduler = scheduler;
  }

  /** Starts to remove. */
  public void start() {
    var _ =
        scheduler
            .newJob("archive retention")
            .setInterval(PAUSE.toString())
            .setConcurrentExecution(SKIP)
            .setTask(_ -> sweep(), true)
            .schedule();
  }

  private void sweep() {
    long all = 0;
    long removed;
    do {
      removed = jdbi.inTransaction(ArchiveRetention::batch);
      all += removed;
    } while (removed > 0);
    if (all > 0) {
      LOG.infof("old archives removed count=%d", all);
    }
  }

  private static long batch(Handle open) {
    Object[] ids = open.createQuery(OLD).bind("batch", BATCH).mapTo(String.class).list().toArray();
    if (ids.length == 0) {
      return 0;
    }
    open.createUpdate(LET_GO).bindArray("ids", String.class, ids).execute();
    return open.createUpdate(REMOVE).bindArray("ids", String.class, ids).execute();
  }
}
