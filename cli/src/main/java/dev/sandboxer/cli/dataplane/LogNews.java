package dev.sandboxer.cli.dataplane;

import com.fasterxml.jackson.databind.JsonNode;

/** Is told what happens to a process while its output is read. */
public interface LogNews {
  /** Bytes of a stream are no longer kept: those from {@code from} up to {@code to}. */
  void gap(String stream, long from, long to);

  /**
   * The process ended.
   *
   * @param exit the dataplane's {@code exit} frame
   * @param again whether it is started again
   */
  void ended(JsonNode exit, boolean again);

  /** The connection broke and is made again. */
  void lost(String why);
}
