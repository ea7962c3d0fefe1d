package dev.sandboxer.cli.process;

import dev.sandboxer.cli.Failure;

/** A managed process's id as a person writes it; it becomes part of a path, so it is checked. */
final class ProcessId {
  private ProcessId() {}

  static String of(String text) {
    if (!text.matches("[A-Za-z0-9_-]{1,64}")) {
      throw Failure.usage(
          "\"" + text + "\" is no process's id: 1 to 64 letters, digits, - or _; see sandboxer ps");
    }
    return text;
  }
}
