package dev.sandboxer.platform.delivery;

import dev.sandboxer.platform.event.Event;
import dev.sandboxer.platform.event.Events;
import dev.sandboxer.platform.ops.WakeableLoop;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import org.jboss.logging.Logger;

/**
 * Delivers to the receivers of one lane: subjects side by side, the events of one subject one after
 * the other.
 */
final class Deliverer {

  private static final Logger LOG = Logger.getLogger(Deliverer.class);
  private static final int PAGE = 100;
  private static final Duration POLL = Duration.ofMillis(250);
  private static final Duration ON_ONE = Duration.ofSeconds(30);

  private final Lane lane;
  private final SinkStreams streams;
  private final Events events;
  private final WakeableLoop loop = new WakeableLoop(POLL);
  private final Semaphore room;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  Deliverer(Lane lane, SinkStreams streams, Events events) {
    this.lane = lane;
    this.streams = streams;
    this.events = events;
    this.room = new Semaphore(lane.atOnce());
  }

  void start() {
    lane.start();
    loop.start("deliver " + lane.name(), this::round);
  }

  /** Events were numbered. */
  void nudge() {
    loop.wake();
  }

  void stop() {
    lane.ending();
    loop.stop();
    threads.shutdownNow();
    lane.close();
  }

  private void round() {
    int free = room.availablePermits();
    if (free == 0) {
      return;
    }
    for (SinkStream stream : lane.claim(free)) {
      room.acquireUninterruptibly();
      threads.execute(() -> bounded(stream));
    }
  }

  private void bounded(SinkStream stream) {
    try {
      deliver(stream);
    } catch (RuntimeException e) {
      LOG.warnf(
          "delivery interrupted sink=%s subject=%s reason=%s",
          stream.sinkId(), stream.subject(), e);
    } finally {
      room.release();
      loop.wake();
    }
  }

  private void deliver(SinkStream stream) {
    long next = stream.nextSeq();
    long end = System.nanoTime() + ON_ONE.toNanos();
    DeliveryResult fate = new DeliveryResult.Taken();
    while (next <= stream.headSeq() && open(fate, end)) {
      List<Event> page = events.ofSubject(stream.subject(), next - 1, stream.headSeq(), PAGE);
      next = page.isEmpty() ? stream.headSeq() + 1 : page.getFirst().seq();
      for (int i = 0; i < page.size() && open(fate, end); i++) {
        next = page.get(i).seq();
        fate = lane.deliver(stream, page.get(i), stream.attemptAt(next));
        next += fate instanceof DeliveryResult.Taken ? 1 : 0;
      }
    }
    finish(stream, next, fate);
  }

  private static boolean open(DeliveryResult fate, long end) {
    return fate instanceof DeliveryResult.Taken && System.nanoTime() < end;
  }

  private void finish(SinkStream stream, long next, DeliveryResult fate) {
    switch (fate) {
      case DeliveryResult.Taken _, DeliveryResult.Held _ -> streams.moved(stream, next);
      case DeliveryResult.Again again -> streams.later(stream, next, again);
      case DeliveryResult.SetAside aside -> streams.park(stream, next, aside.error());
    }
  }
}
