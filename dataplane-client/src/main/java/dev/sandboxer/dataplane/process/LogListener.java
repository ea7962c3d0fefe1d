package dev.sandboxer.dataplane.process;

import dev.sandboxer.dataplane.exec.CommandEnd;

/** Receives what happens to a process while its output is read. By default nothing is done. */
public interface LogListener {
  /**
   * Bytes are no longer kept, so they are missing in the output.
   *
   * @param stream {@code stdout} or {@code stderr}, as the sandbox says
   * @param from offset of the first missing byte
   * @param to offset of the first byte that is there again
   */
  default void gap(String stream, long from, long to) {}

  /**
   * The process ended.
   *
   * @param again whether it is started again
   */
  default void ended(CommandEnd end, boolean again) {}

  /**
   * The connection broke and is made again; called once until bytes come again.
   *
   * @param why for a person
   */
  default void lost(String why) {}
}
