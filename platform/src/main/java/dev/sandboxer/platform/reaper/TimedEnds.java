package dev.sandboxer.platform.reaper;

import java.time.OffsetDateTime;
import org.jdbi.v3.core.Handle;

/**
 * Something that ends by time, beside the end of a sandbox's time to live. The reaper asks for it
 * only while the clock is steady.
 */
public interface TimedEnds {

  /**
   * Ends what is overdue.
   *
   * @param now the database's time as the clock guard read it; deadlines are compared with this
   *     one, so that a jump after the reading ends nothing
   */
  void pass(OffsetDateTime now);

  /**
   * The wall clock has jumped: moves all open deadlines.
   *
   * @param open the transaction
   * @param seconds by how much, negative if it went back
   */
  void shift(Handle open, double seconds);

  /**
   * This node has seen a jump in this pass and judges nothing; what it counts itself begins anew.
   */
  default void unsteady() {}
}
