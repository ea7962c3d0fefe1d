package dev.sandboxer.platform.delivery;

import static io.quarkus.scheduler.Scheduled.ConcurrentExecution.SKIP;

import dev.sandboxer.platform.event.Events;
import dev.sandboxer.platform.event.Retention;
import dev.sandboxer.platform.event.Sequencer;
import dev.sandboxer.platform.installation.Settings;
import dev.sandboxer.platform.plugin.Plugin;
import dev.sandboxer.platform.sink.TypedSink;
import io.quarkus.arc.All;
import io.quarkus.scheduler.Scheduled;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Brings events to their receivers. A sink, however slow or dead, slows no sandbox. */
@ApplicationScoped
public class Delivery {

  private static final Duration LEAST_MISSING = Duration.ofDays(1);

  private final ConfiguredSinks configured;
  private final List<Lane> lanes;
  private final Sinks sinks;
  private final SinkStreams streams;
  private final Events events;
  private final Messages messages;
  private final Sequencer sequencer;
  private final Retention retention;
  private final Settings settings;
  private final List<String> ids = new ArrayList<>();
  private final List<Deliverer> deliverers = new ArrayList<>();

  Delivery(
      ConfiguredSinks configured,
      @All List<Lane> lanes,
      Sinks sinks,
      SinkStreams streams,
      Events events,
      Messages messages,
      Sequencer sequencer,
      Retention retention,
      Settings settings) {
    this.configured = configured;
    this.lanes = lanes;
    this.sinks = sinks;
    this.streams = streams;
    this.events = events;
    this.messages = messages;
    this.sequencer = sequencer;
    this.retention = retention;
    this.settings = settings;
  }

  /** Starts delivering, from where each sink was. A sink that is new begins with what comes now. */
  public void start() {
    for (ConfiguredSinks.Configured one : configured.all()) {
      ids.add(one.id());
      serve(new SinkLane(one, streams, sinks, messages, settings.sinkRetries()));
    }
    lanes.forEach(this::serve);
    sequencer.onNumbered(() -> deliverers.forEach(Deliverer::nudge));
  }

  /** A sink that no node has any more is forgotten once its events are older than what is kept. */
  @RunOnVirtualThread
  @Scheduled(identity = "sinks", every = "1m", concurrentExecution = SKIP)
  void seen() {
    Duration keep = retention.keep();
    sinks.seen(ids, keep.compareTo(LEAST_MISSING) > 0 ? keep : LEAST_MISSING);
  }

  /**
   * How the operator's sinks fare, those of this node that cannot be called included.
   *
   * @return in order of ids
   */
  public List<SinkStatus> status() {
    Map<String, SinkStatus> all = new TreeMap<>();
    sinks.status().forEach(sink -> all.put(sink.id(), sink));
    for (Plugin<TypedSink> failed : configured.failed()) {
      all.merge(failed.id(), SinkStatus.failed(failed), SinkStatus::but);
    }
    return List.copyOf(all.values());
  }

  /**
   * How the tenants' webhooks fare.
   *
   * @return all together
   */
  public WebhookStatus webhooks() {
    return sinks.webhooks();
  }

  private void serve(Lane lane) {
    Deliverer deliverer = new Deliverer(lane, streams, events);
    deliverers.add(deliverer);
    deliverer.start();
  }

  /** Ends; what was not delivered is delivered after the next start, or by another node. */
  public void stop() {
    deliverers.forEach(Deliverer::stop);
  }
}
