package dev.sandboxer.cli.process;

import com.fasterxml.jackson.databind.JsonNode;

/** How a process ended last, in a word or two. */
final class ProcessEnd {
  private ProcessEnd() {}

  /** Of an exit frame or a process's record; {@code -} where it has not ended. */
  static String of(JsonNode ended) {
    if (ended.path("timed_out").asBoolean()) {
      return "timed out";
    }
    if (ended.path("signal").isTextual()) {
      return ended.path("signal").asText();
    }
    return ended.path("exit_code").isNumber() ? ended.path("exit_code").asText() : "-";
  }
}
