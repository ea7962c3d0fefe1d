package dev.sandboxer.platform.event;

import org.jdbi.v3.core.Handle;

/** Observes that events got their positions, inside that transaction. */
public interface NumberingListener {

  /**
   * Called once for each range of positions.
   *
   * @param transaction open; what is written with it is there exactly if the positions are
   * @param after the position before the first new one
   * @param last the last new position
   */
  void numbered(Handle transaction, long after, long last);
}
