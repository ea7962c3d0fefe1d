package dev.sandboxer.platform.delivery;

import dev.sandboxer.platform.event.Event;
import dev.sandboxer.platform.event.EventFilter;
import dev.sandboxer.platform.plugin.PluginCall;
import dev.sandboxer.spi.sink.SinkException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jboss.logging.Logger;

/**
 * One of the operator's sinks. While it fails, one subject at a time is tried, with growing pauses;
 * nobody else waits for it. An event that fails again and again while those of other subjects are
 * taken has retries of its own, and is set aside in the end: nothing says so of a sink that takes
 * nothing at all.
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
  private final List<Duration> plan;
  private final AtomicBoolean failing = new AtomicBoolean();
  private volatile boolean ending;

  SinkLane(
      ConfiguredSinks.Configured configured,
      SinkStreams streams,
      Sinks sinks,
      Messages messages,
      List<Duration> plan) {
    this.configured = configured;
    this.streams = streams;
    this.sinks = sinks;
    this.messages = messages;
    this.plan = List.copyOf(plan);
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
  }

  @Override
  public List<SinkStream> claim(int room) {
    List<SinkStream> claimed = streams.claim(configured.id(), room);
    if (claimed.stream().anyMatch(SinkStream::failing)) {
      failing.set(true); // also where another node saw it
    }
    return claimed;
  }

  @Override
  public DeliveryResult deliver(SinkStream stream, Event event, int attempt) {
    if (!EventFilter.matchesType(configured.types(), event.type())) {
      return new DeliveryResult.Taken();
    }
    try (PluginCall call = new PluginCall(CALL)) {
      configured.sink().deliver(messages.of(event), call);
    } catch (SinkException e) {
      return e.isRefused() ? refused(event, e) : failed(stream, event, attempt, e);
    }
    if (failing.getAndSet(false) && sinks.recovered(configured.id())) {
      LOG.infof("sink is back sink=%s", configured.id());
    }
    return new DeliveryResult.Taken();
  }

  private DeliveryResult refused(Event event, SinkException failure) {
    String error = String.valueOf(failure.getMessage());
    LOG.errorf(
        "event refused sink=%s subject=%s seq=%d reason=%s",
        configured.id(), event.subject(), event.seq(), error);
    return new DeliveryResult.SetAside(error);
  }

  private DeliveryResult failed(
      SinkStream stream, Event event, int attempt, SinkException failure) {
    if (ending) {
      return new DeliveryResult.Held();
    }
    String error = String.valueOf(failure.getMessage());
    if (failing.compareAndSet(false, true)) {
      LOG.warnf("sink fails sink=%s reason=%s", configured.id(), error);
    }
    Optional<Duration> retryAfter = failure.retryAfter();
    boolean alone = attempt > 1 && stream.others() && retryAfter.isEmpty();
    if (!alone) {
      sinks.failed(configured.id(), error, retryAfter.orElse(Duration.ZERO), LONGEST_PAUSE);
      return new DeliveryResult.Again(error, Duration.ZERO, false);
    }
    sinks.doubted(configured.id(), error);
    if (attempt - 2 < plan.size()) {
      return new DeliveryResult.Again(error, plan.get(attempt - 2), true);
    }
    LOG.errorf(
        "event given up sink=%s subject=%s seq=%d tries=%d reason=%s",
        configured.id(), event.subject(), event.seq(), attempt, error);
    return new DeliveryResult.SetAside(error);
  }

  @Override
  public void ending() {
    ending = true;
  }

  @Override
  public void close() {
    configured.sink().close();
  }
}
