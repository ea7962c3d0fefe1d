package dev.sandboxer.platform.event;

import static io.quarkus.scheduler.Scheduled.ConcurrentExecution.SKIP;

import dev.sandboxer.platform.installation.Settings;
import io.quarkus.arc.All;
import io.quarkus.scheduler.Scheduler;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.jboss.logging.Logger;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * Removes old events, in order of position and batch by batch. One that somebody still wants stays
 * until they have got it.
 */
@ApplicationScoped
public class Retention {

  private static final Logger LOG = Logger.getLogger(Retention.class);
  private static final int BATCH = 1000;
  private static final Duration PAUSE = Duration.ofMinutes(10);

  private static final String LOCK = "select forgotten from event_retention for update skip locked";

  /** The end of the run of old events that begins at the mark. */
  private static final String OLD =
      """
      with next as (
        select position, occurred_at < clock_timestamp() - make_interval(secs => :keep) as old
        from event where position > :forgotten order by position limit :batch),
      young as (select min(position) as first from next where not old)
      select coalesce(max(position), :forgotten) from next, young
      where young.first is null or position < young.first
      """;

  private final Jdbi jdbi;
  private final Scheduler scheduler;
  private final Duration keep;
  private final String remove;

  Retention(Jdbi jdbi, Scheduler scheduler, Settings settings, @All List<EventReader> readers) {
    this.jdbi = jdbi;
    this.scheduler = scheduler;
    this.keep = settings.eventRetention();
    this.remove = unwanted(readers);
  }

  private static String unwanted(List<EventReader> readers) {
    return """
        delete from event where (subject, seq) in (
          select e.subject, e.seq from event e where e.position <= :forgotten and not (%s)
          order by e.position limit :batch)
        """
        .formatted(
            readers.isEmpty()
                ? "false"
                : readers.stream().map(EventReader::wants).collect(Collectors.joining(" or ")));
  }

  /**
   * For how long events are kept.
   *
   * @return from the setting
   */
  public Duration keep() {
    return keep;
  }

  /** Begins to remove, as often as the setting needs. */
  public void start() {
    var _ =
        scheduler
            .newJob("event retention")
            .setInterval((keep.compareTo(PAUSE) < 0 ? keep : PAUSE).toString())
            .setConcurrentExecution(SKIP)
            .setTask(_ -> sweep(), true)
            .schedule();
  }

  /** Removes what is old now. */
  void sweep() {
    long all = 0;
    long removed;
    do {
      removed = jdbi.inTransaction(this::batch);
      all += removed;
    } while (removed > 0);
    if (all > 0) {
      LOG.infof("old events removed count=%d", all);
    }
  }

  /** The mark moves in the same transaction: who reads after it is told of the gap. */
  private long batch(Handle transaction) {
    return transaction
        .createQuery(LOCK)
        .mapTo(Long.class)
        .findOne()
        .map(forgotten -> remove(transaction, advance(transaction, forgotten)))
        .orElse(0L);
  }

  private long advance(Handle transaction, long forgotten) {
    long last =
        transaction
            .createQuery(OLD)
            .bind("keep", keep.toSeconds())
            .bind("forgotten", forgotten)
            .bind("batch", BATCH)
            .mapTo(Long.class)
            .one();
    if (last > forgotten) {
      transaction
          .createUpdate("update event_retention set forgotten = :last")
          .bind("last", last)
          .execute();
    }
    return last;
  }

  private long remove(Handle transaction, long forgotten) {
    return transaction
        .createUpdate(remove)
        .bind("forgotten", forgotten)
        .bind("batch", BATCH)
        .execute();
  }
}
