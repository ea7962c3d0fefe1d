package dev.sandboxer.cli.process;

import dev.sandboxer.dataplane.exec.CommandEnd;

/** How a process ended last, in a word or two. */
final class ProcessEnd {
  private ProcessEnd() {}

  /** {@code -} where it has not ended. */
  static String of(CommandEnd end) {
    if (end.timedOut()) {
      return "timed out";
    }
    if (end.signal() != null) {
      return end.signal();
    }
    return end.exitCode() == null ? "-" : String.valueOf(end.exitCode());
  }
}
