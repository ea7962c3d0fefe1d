package dev.sandboxer.platform.event;

import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The newest events, read once from the database for all who listen on this node. Who has fallen
 * further behind reads the database itself, so a slow listener costs no memory here.
 */
@ApplicationScoped
public class EventTail {

  private static final int KEPT = 4096;
  private static final int PAGE = 500;

  private final Events events;
  private final Sequencer sequencer;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<String, Condition> news = new HashMap<>();
  private final Deque<Event> kept = new ArrayDeque<>();
  private long before;
  private long newest;
  private volatile boolean open = true;

  EventTail(Events events, Sequencer sequencer) {
    this.events = events;
    this.sequencer = sequencer;
  }

  /** Begins with what comes from now on. */
  void begin() {
    long now = events.newest();
    lock.lock();
    try {
      before = now;
      newest = now;
    } finally {
      lock.unlock();
    }
    sequencer.onNumbered(this::read);
  }

  private void read() {
    List<Event> page;
    do {
      page = events.everything(newest(), PAGE);
      add(page);
    } while (page.size() == PAGE);
  }

  private void add(List<Event> page) {
    lock.lock();
    try {
      Set<String> tenants = new HashSet<>();
      for (Event event : page) {
        kept.addLast(event);
        newest = position(event);
        tenants.add(event.tenantId());
      }
      while (kept.size() > KEPT) {
        before = position(kept.removeFirst());
      }
      tenants.stream().map(news::get).forEach(EventTail::signal);
    } finally {
      lock.unlock();
    }
  }

  private static void signal(@Nullable Condition waiting) {
    if (waiting != null) {
      waiting.signalAll();
    }
  }

  private static long position(Event event) {
    Long position = event.position();
    if (position == null) {
      throw new IllegalArgumentException("event " + event.id() + " has no position");
    }
    return position;
  }

  /**
   * The newest position that this node has seen.
   *
   * @return 0 before the first event
   */
  public long newest() {
    lock.lock();
    try {
      return newest;
    } finally {
      lock.unlock();
    }
  }

  /**
   * A batch, and where to go on.
   *
   * @param gap what is no longer there before them
   * @param events oldest first, may be empty
   * @param position up to which everything was looked at
   */
  public record Batch(Optional<Gap> gap, List<Event> events, long position) {}

  /**
   * Waits for events after a position.
   *
   * @param filter which
   * @param after position
   * @param patience how long to wait for the first
   * @return what there is; nothing after the time is up
   * @throws InterruptedException if the listener is ended
   */
  public Batch await(EventFilter filter, long after, Duration patience)
      throws InterruptedException {
    if (after > newest()) {
      Optional<Gap> lost = events.lost(after);
      if (lost.isPresent()) {
        return new Batch(lost, List.of(), lost.get().from() - 1);
      }
    }
    lock.lock();
    try {
      if (after >= before) {
        return fromMemory(filter, after, patience);
      }
    } finally {
      lock.unlock();
    }
    return fromDatabase(filter, after);
  }

  private Batch fromMemory(EventFilter filter, long after, Duration patience)
      throws InterruptedException {
    long nanos = patience.toNanos();
    long from = after;
    while (true) {
      List<Event> found = matching(filter, from);
      from = Math.max(from, newest);
      if (!found.isEmpty() || !open || nanos <= 0) {
        return new Batch(Optional.empty(), found, from);
      }
      nanos = news.computeIfAbsent(filter.tenantId(), _ -> lock.newCondition()).awaitNanos(nanos);
    }
  }

  /** The newest position is read first: what comes during the query is looked at again. */
  private Batch fromDatabase(EventFilter filter, long after) {
    long seen = newest();
    List<Event> page = events.after(filter, after, PAGE);
    Optional<Gap> gap = events.gap(after);
    if (gap.isPresent()) {
      return new Batch(gap, List.of(), gap.get().to());
    }
    long last = page.isEmpty() ? after : position(page.getLast());
    return new Batch(gap, page, page.size() < PAGE ? Math.max(seen, last) : last);
  }

  /** Newest first until the listener's place, so that one who keeps up looks at few. */
  private List<Event> matching(EventFilter filter, long after) {
    if (after >= newest) {
      return List.of();
    }
    Deque<Event> found = new ArrayDeque<>();
    var backwards = kept.descendingIterator();
    while (backwards.hasNext()) {
      Event event = backwards.next();
      if (position(event) <= after) {
        break;
      }
      if (filter.matches(event)) {
        found.addFirst(event);
      }
    }
    return List.copyOf(found);
  }

  /**
   * Whether listeners may go on.
   *
   * @return false once the node stops
   */
  public boolean open() {
    return open;
  }

  /** Ends all waiting. */
  public void close() {
    lock.lock();
    try {
      open = false;
      news.values().forEach(Condition::signalAll);
    } finally {
      lock.unlock();
    }
  }
}
