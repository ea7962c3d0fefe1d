package dev.sandboxer.platform.box;

import static io.quarkus.scheduler.Scheduled.ConcurrentExecution.SKIP;

import dev.sandboxer.platform.database.InTurn;
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
 * Forgets boxes whose sandboxes ended long ago, batch by batch. One that is asked for just now is
 * left alone: whoever holds the lock of its scope comes first.
 */
@ApplicationScoped
public class BoxRetention {

  private static final Logger LOG = Logger.getLogger(BoxRetention.class);
  private static final int BATCH = 100;
  private static final Duration PAUSE = Duration.ofMinutes(10);

  /** The first line keeps the other tables unread where nothing is old. */
  private static final String OLD =
      """
      b.used_at < clock_timestamp() - make_interval(secs => :keep)
        and s.state in ('expired', 'failed', 'destroyed')
        and coalesce(s.ended_at, s.destroyed_at) < clock_timestamp() - make_interval(secs => :keep)
      """;

  private final Jdbi jdbi;
  private final InTurn turns;
  private final Scheduler scheduler;
  private final Duration keep;
  private final String find;
  private final String remove;

  BoxRetention(
      Jdbi jdbi,
      InTurn turns,
      Scheduler scheduler,
      Settings settings,
      @All List<KeptBoxes> keepers) {
    this.jdbi = jdbi;
    this.turns = turns;
    this.scheduler = scheduler;
    this.keep = settings.boxRetention();
    String old = OLD + " and not (" + kept(keepers) + ")";
    this.find =
        "select b.id, b.tenant_id, b.scope_name from box b join sandbox s on s.id = b.sandbox_id where "
            + old
            + " limit :batch";
    this.remove =
        "delete from box b using sandbox s where s.id = b.sandbox_id and b.id = any(:ids) and "
            + old;
  }

  private static String kept(List<KeptBoxes> keepers) {
    return keepers.isEmpty()
        ? "false"
        : keepers.stream().map(KeptBoxes::keeps).collect(Collectors.joining(" or "));
  }

  /**
   * A box that looked old before its scope was locked.
   *
   * @param id {@code box_...}
   * @param turn the lock of its scope
   */
  private record Candidate(String id, String turn) {}

  /** Starts to remove, as often as the setting needs. */
  public void start() {
    var _ =
        scheduler
            .newJob("box retention")
            .setInterval((keep.compareTo(PAUSE) < 0 ? keep : PAUSE).toString())
            .setConcurrentExecution(SKIP)
            .setTask(_ -> sweep(), true)
            .schedule();
  }

  private void sweep() {
    long all = 0;
    long removed;
    do {
      removed = jdbi.inTransaction(this::batch);
      all += removed;
    } while (removed > 0);
    if (all > 0) {
      LOG.infof("old boxes removed count=%d", all);
    }
  }

  /** What was made again before its scope was locked is not old any more when it is removed. */
  private long batch(Handle open) {
    Object[] ids =
        candidates(open).stream()
            .filter(one -> turns.take(open, one.turn()))
            .map(Candidate::id)
            .toArray();
    return open.createUpdate(remove)
        .bindArray("ids", String.class, ids)
        .bind("keep", keep.toSeconds())
        .execute();
  }

  private List<Candidate> candidates(Handle open) {
    return open.createQuery(find)
        .bind("keep", keep.toSeconds())
        .bind("batch", BATCH)
        .map(
            (row, _) ->
                new Candidate(
                    row.getString("id"),
                    BoxScope.turn(row.getString("tenant_id"), row.getString("scope_name"))))
        .list();
  }
}
