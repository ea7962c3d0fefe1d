package dev.sandboxer.platform.event;

import jakarta.enterprise.context.ApplicationScoped;

/** The part of a node that turns committed events into numbered ones that others can follow. */
@ApplicationScoped
public class EventFeed {

  private final Sequencer sequencer;
  private final EventTail tail;
  private final Retention retention;

  EventFeed(Sequencer sequencer, EventTail tail, Retention retention) {
    this.sequencer = sequencer;
    this.tail = tail;
    this.retention = retention;
  }

  /** Starts numbering, following and removing what is old. */
  public void start() {
    tail.begin();
    sequencer.start();
    retention.start();
  }

  /** Ends all listeners of this node and the numbering. */
  public void stop() {
    sequencer.stop();
    tail.close();
  }
}
