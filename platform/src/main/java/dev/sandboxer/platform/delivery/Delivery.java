package dev.sandboxer.platform.delivery;

import dev.sandboxer.platform.event.Events;
import dev.sandboxer.platform.event.Sequencer;
import dev.sandboxer.platform.ops.Ticker;
import io.quarkus.arc.All;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Brings events to their receivers. A sink, however slow or dead, slows no sandbox. */
@ApplicationScoped
public class Delivery {

  private final ConfiguredSinks configured;
  private final List<Lane> lanes;
  private final Sinks sinks;
  private final SinkStreams streams;
  private final Events events;
  private final Messages messages;
  private final Sequencer sequencer;
  private final Ticker ticker;
  private final List<Deliverer> deliverers = new ArrayList<>();

  Delivery(
      ConfiguredSinks configured,
      @All List<Lane> lanes,
      Sinks sinks,
      SinkStreams streams,
      Events events,
      Messages messages,
      Sequencer sequencer,
      Ticker ticker) {
    this.configured = configured;
    this.lanes = lanes;
    this.sinks = sinks;
    this.streams = streams;
    this.events = events;
    this.messages = messages;
    this.sequencer = sequencer;
    this.ticker = ticker;
  }

  /** Starts delivering, from where each sink was. A sink that is new begins with what comes now. */
  public void start() {
    for (ConfiguredSinks.Configured one : configured.all()) {
      serve(new SinkLane(one, streams, sinks, messages));
    }
    lanes.forEach(this::serve);
    sequencer.onNumbered(() -> deliverers.forEach(Deliverer::nudge));
    ticker.every("sink streams", Duration.ofMinutes(10), streams::sweep);
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
