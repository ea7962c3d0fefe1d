package dev.sandboxer.platform.delivery;

import dev.sandboxer.platform.event.Events;
import dev.sandboxer.platform.event.Sequencer;
import dev.sandboxer.platform.ops.Ticker;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Brings events to the operator's sinks. A sink, however slow or dead, slows no sandbox. */
@ApplicationScoped
public class Delivery {

  private final ConfiguredSinks configured;
  private final Sinks sinks;
  private final SinkStreams streams;
  private final Events events;
  private final Messages messages;
  private final Sequencer sequencer;
  private final Ticker ticker;
  private final List<Deliverer> deliverers = new ArrayList<>();

  Delivery(
      ConfiguredSinks configured,
      Sinks sinks,
      SinkStreams streams,
      Events events,
      Messages messages,
      Sequencer sequencer,
      Ticker ticker) {
    this.configured = configured;
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
      sinks.ensure(one.id(), one.kind(), one.types());
      Deliverer deliverer =
          new Deliverer(one.id(), one.types(), one.sink(), streams, sinks, events, messages);
      deliverers.add(deliverer);
      deliverer.start();
    }
    sequencer.onNumbered(() -> deliverers.forEach(Deliverer::nudge));
    ticker.every("sink streams", Duration.ofMinutes(10), streams::sweep);
  }

  /** Ends; what was not delivered is delivered after the next start, or by another node. */
  public void stop() {
    deliverers.forEach(Deliverer::stop);
  }
}
