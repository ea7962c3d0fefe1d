package dev.sandboxer.platform.event;

import jakarta.enterprise.context.ApplicationScoped;

/** The part of a node that turns committed events into numbered ones that others can follow. */
@ApplicationScoped
public class EventFeed {

  private final Sequencer sequencer;
  private final EventTail tail;

  EventFeed(Sequencer sequencer, EventTail tail) {
    this.sequencer = sequencer;
    this.tail = tail;
  }

  /** Starts numbering and following. */
  public void start() {
    tail.begin();
    sequencer.start();
  }

  /** Ends all listeners of this node and the numbering. */
  public void stop() {
    sequencer.stop();
    tail.close();
  }
}
