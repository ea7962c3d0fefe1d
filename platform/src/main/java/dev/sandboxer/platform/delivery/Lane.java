package dev.sandboxer.platform.delivery;

import dev.sandboxer.platform.event.Event;
import java.util.List;

/**
 * Receivers that are served together: one of the operator's sinks, or all webhooks. The engine
 * claims backlogs of a lane and calls it, subjects side by side, the events of one subject one
 * after the other.
 */
public interface Lane {

  /**
   * Names it in the log.
   *
   * @return such as {@code state-hub}
   */
  String name();

  /**
   * How many subjects are served at once.
   *
   * @return at least 1
   */
  int atOnce();

  /** Called once before anything else. */
  default void start() {}

  /**
   * Claims backlogs that are due.
   *
   * @param room how many at most
   * @return claimed for this node
   */
  List<SinkStream> claim(int room);

  /**
   * Delivers one event, or leaves it out if the receiver does not want it. Blocks.
   *
   * @param stream whose next event it is
   * @param event to deliver
   * @param attempt from 1
   * @return what became of it
   */
  DeliveryResult deliver(SinkStream stream, Event event, int attempt);

  /** The node ends: calls are broken off next, which says nothing about receivers. */
  default void ending() {}

  /** Releases connections. */
  void close();
}
