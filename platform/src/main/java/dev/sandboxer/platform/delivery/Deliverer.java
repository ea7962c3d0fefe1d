package dev.sandboxer.platform.delivery;

import dev.sandboxer.platform.event.Event;
import dev.sandboxer.platform.event.EventFilter;
import dev.sandboxer.platform.event.Events;
import dev.sandboxer.platform.event.Pulse;
import dev.sandboxer.spi.sink.EventSink;
import dev.sandboxer.spi.sink.SinkException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jboss.logging.Logger;

/**
 * Delivers to one sink: subjects side by side, the events of one subject one after the other. While
 * the receiver fails, one subject at a time is tried, with growing pauses; nobody else waits for
 * it.
 */
final class Deliverer {

  private static final Logger LOG = Logger.getLogger(Deliverer.class);
  private static final int AT_ONCE = 32;
  private static final int PAGE = 100;
  private static final Duration CALL = Duration.ofSeconds(30);
  private static final Duration ON_ONE = Duration.ofSeconds(30);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);

  private final String id;
  private final Set<String> types;
  private final EventSink sink;
  private final SinkStreams streams;
  private final Sinks sinks;
  private final Events events;
  private final Messages messages;
  private final Pulse pulse = new Pulse();
  private final Semaphore room = new Semaphore(AT_ONCE);
  private final AtomicBoolean failing = new AtomicBoolean();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  Deliverer(
      String id,
      Set<String> types,
      EventSink sink,
      SinkStreams streams,
      Sinks sinks,
      Events events,
      Messages messages) {
    this.id = id;
    this.types = types;
    this.sink = sink;
    this.streams = streams;
    this.sinks = sinks;
    this.events = events;
    this.messages = messages;
  }

  void start() {
    failing.set(sinks.failing(id));
    pulse.start("deliver " + id, this::round);
  }

  /** Events were numbered. */
  void nudge() {
    pulse.beat();
  }

  void stop() {
    pulse.stop();
    threads.shutdownNow();
    sink.close();
  }

  private void round() {
    int free = failing.get() ? Math.min(1, room.availablePermits()) : room.availablePermits();
    if (free == 0) {
      return;
    }
    for (SinkStream stream : streams.claim(id, free)) {
      room.acquireUninterruptibly();
      threads.execute(() -> bounded(stream));
    }
  }

  private void bounded(SinkStream stream) {
    try {
      deliver(stream);
    } catch (RuntimeException e) {
      LOG.warnf("delivery interrupted sink=%s subject=%s reason=%s", id, stream.subject(), e);
    } finally {
      room.release();
      pulse.beat();
    }
  }

  private void deliver(SinkStream stream) {
    long next = stream.nextSeq();
    long end = System.nanoTime() + ON_ONE.toNanos();
    try {
      while (next <= stream.headSeq() && System.nanoTime() < end) {
        List<Event> page = events.ofSubject(stream.subject(), next - 1, stream.headSeq(), PAGE);
        for (Event event : page) {
          if (System.nanoTime() >= end) {
            break;
          }
          if (EventFilter.matchesType(types, event.type())) {
            deliver(event);
          }
          next = event.seq() + 1;
        }
        if (page.isEmpty()) {
          next = stream.headSeq() + 1;
        }
      }
      streams.moved(stream, next);
      if (failing.compareAndSet(true, false)) {
        sinks.recovered(id);
        LOG.infof("sink is back sink=%s", id);
      }
    } catch (SinkException e) {
      failed(stream, next, e);
    }
  }

  private void deliver(Event event) throws SinkException {
    try (SinkCall call = new SinkCall(CALL)) {
      sink.deliver(messages.of(event), call);
    }
  }

  private void failed(SinkStream stream, long next, SinkException e) {
    String error = String.valueOf(e.getMessage());
    if (e.isRefused()) {
      LOG.errorf(
          "event refused sink=%s subject=%s seq=%d reason=%s", id, stream.subject(), next, error);
      streams.park(stream, next, error);
      return;
    }
    if (failing.compareAndSet(false, true)) {
      LOG.warnf("sink fails sink=%s reason=%s", id, error);
    }
    sinks.failed(id, error, e.retryAfter().orElse(Duration.ZERO), LONGEST_PAUSE);
    streams.later(stream, next, error, Duration.ZERO);
  }
}
