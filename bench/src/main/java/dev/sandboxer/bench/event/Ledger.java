package dev.sandboxer.bench.event;

import dev.sandboxer.bench.measure.Samples;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What one receiver was told, checked as it comes: of each sandbox every event, in order. */
final class Ledger {

  private final Map<String, Long> last = new HashMap<>();
  private final Samples delays = new Samples();
  private long count;
  private @Nullable String fault;

  /** An event arrived. One that is repeated counts once: delivery is at least once. */
  synchronized void add(Told told, Instant now) {
    long before = last.getOrDefault(told.subject(), 0L);
    if (told.seq() <= before) {
      return;
    }
    if (told.seq() > before + 1 && fault == null) {
      fault = "%s: event %d came after %d".formatted(told.subject(), told.seq(), before);
    }
    last.put(told.subject(), told.seq());
    delays.add(Duration.between(told.occurredAt(), now).toNanos() / 1e6);
    count++;
  }

  /** What arrived could not be read. */
  synchronized void unreadable(String why) {
    fault = why;
  }

  /** How many different events arrived. */
  synchronized long count() {
    return count;
  }

  /** From writing to arrival, in milliseconds. */
  synchronized Samples delays() {
    return delays;
  }

  /**
   * Waits until so many arrived.
   *
   * @throws IOException if they do not arrive in time, one is missing between others, or more come
   */
  void await(long events, Duration patience) throws IOException, InterruptedException {
    long end = System.nanoTime() + patience.toNanos();
    while (count() < events && System.nanoTime() - end < 0) {
      Thread.sleep(5);
    }
    check(events);
  }

  private synchronized void check(long events) throws IOException {
    if (fault != null) {
      throw new IOException(fault);
    }
    if (count != events) {
      throw new IOException("%d events arrived, %d happened".formatted(count, events));
    }
  }
}
