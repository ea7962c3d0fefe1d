package dev.sandboxer.platform.delivery;

import dev.sandboxer.platform.event.Event;
import dev.sandboxer.platform.event.EventFilter;
import dev.sandboxer.spi.sink.SinkException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jboss.logging.Logger;

/**
 * One of the operator's sinks. While it fails, one subject at a time is tried, with growing pauses;
 * nobody else waits for it.
 */
final class SinkLane implements Lane {

  private static final Logger LOG = Logger.getLogger(SinkLane.class);
  private static final int AT_ONCE = 32;
  private static final Duration CALL = Duration.ofSeconds(30);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);

  private final ConfiguredSinks.Configured configured;
  private final SinkStreams streams;
  private final Sinks sinks;
  private final Messages messages;
  private final AtomicBoolean failing = new AtomicBoolean();

  SinkLane(
      ConfiguredSinks.Configured configured, SinkStreams streams, Sinks sinks, Messages messages) {
    this.configured = configured;
    this.streams = streams;
    this.sinks = sinks;
    this.messages = messages;
  }

  @Override
  public String name() {
    return configured.id();
  }

  @Override
  public int atOnce() {
    return AT_ONCE;
  }

  @Override
  public void start() {
    sinks.ensure(configured.id(), configured.kind(), configured.types());
    failing.set(sinks.failing(configured.id()));
  }

  @Override
  public List<SinkStream> claim(int room) {
    return streams.claim(configured.id(), failing.get() ? 1 : room);
  }

  @Override
  public Fate deliver(SinkStream stream, Event event, int attempt) {
    if (!EventFilter.matchesType(configured.types(), event.type())) {
      return new Fate.Taken();
    }
    try (SinkCall call = new SinkCall(CALL)) {
      configured.sink().deliver(messages.of(event), call);
    } catch (SinkException e) {
      return failed(event, e);
    }
    if (failing.compareAndSet(true, false)) {
      sinks.recovered(configured.id());
      LOG.infof("sink is back sink=%s", configured.id());
    }
    return new Fate.Taken();
  }

  private Fate failed(Event event, SinkException failure) {
    String error = String.valueOf(failure.getMessage());
    if (failure.isRefused()) {
      LOG.errorf(
          "event refused sink=%s subject=%s seq=%d reason=%s",
          configured.id(), event.subject(), event.seq(), error);
      return new Fate.SetAside(error);
    }
    if (failing.compareAndSet(false, true)) {
      LOG.warnf("sink fails sink=%s reason=%s", configured.id(), error);
    }
    sinks.failed(configured.id(), error, failure.retryAfter().orElse(Duration.ZERO), LONGEST_PAUSE);
    return new Fate.Again(error, Duration.ZERO);
  }

  @Override
  public void close() {
    configured.sink().close();
  }
}
