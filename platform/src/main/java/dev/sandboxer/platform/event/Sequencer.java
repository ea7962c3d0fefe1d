package dev.sandboxer.platform.event;

import dev.sandboxer.platform.ops.WakeableLoop;
import io.quarkus.arc.All;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * Gives each committed event its position: one order for the whole installation, without a hole,
 * that keeps the order within each subject. A number drawn inside the event's own transaction could
 * not: a later number may be committed first, and a reader would pass over the earlier one.
 */
@ApplicationScoped
public class Sequencer {

  private static final Duration POLL = Duration.ofMillis(250);

  private static final String LAST = "select last from event_sequence for update";

  /**
   * A second statement after the lock, so that it sees what whoever held the lock before numbered.
   */
  private static final String NUMBER =
      """
      with unnumbered as (
        select subject, seq, min(occurred_at) over (partition by subject) as since
        from event where position is null),
      ordered as (
        select subject, seq, row_number() over (order by since, subject, seq) as number
        from unnumbered),
      numbered as (
        update event set position = :last + ordered.number from ordered
        where event.subject = ordered.subject and event.seq = ordered.seq
        returning 1)
      update event_sequence set last = last + (select count(*) from numbered) returning last
      """;

  private static final String WAITING =
      "select exists (select 1 from event where position is null)";

  private final Jdbi jdbi;
  private final WakeableLoop loop = new WakeableLoop(POLL);
  private final List<NumberingListener> inside;
  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();

  Sequencer(Jdbi jdbi, @All List<NumberingListener> inside) {
    this.jdbi = jdbi;
    this.inside = inside;
  }

  /** Says that an event was committed. Only a hint: what is missed is found by polling. */
  void committed() {
    loop.wake();
  }

  /**
   * Has something run after each round in which events got positions, here or on another node.
   *
   * @param listener quick, must not throw
   */
  public void onNumbered(Runnable listener) {
    listeners.add(listener);
  }

  /** Starts numbering, on a thread of its own. */
  public void start() {
    loop.start("sequencer", this::round);
  }

  /** Ends; what has no position yet gets it at the next start, or by another node. */
  public void stop() {
    loop.stop();
  }

  private void round() {
    var _ = number();
    listeners.forEach(Runnable::run);
  }

  /** Numbers what has no position yet; returns how many that were. */
  long number() {
    boolean waiting =
        jdbi.withHandle(handle -> handle.createQuery(WAITING).mapTo(Boolean.class).one());
    return waiting ? jdbi.inTransaction(this::number) : 0;
  }

  private long number(Handle transaction) {
    long before = transaction.createQuery(LAST).mapTo(Long.class).one();
    long last = transaction.createQuery(NUMBER).bind("last", before).mapTo(Long.class).one();
    if (last > before) {
      inside.forEach(listener -> listener.numbered(transaction, before, last));
    }
    return last - before;
  }
}
