package dev.sandboxer.cli.sandbox;

import dev.sandboxer.cli.ExitCode;
import dev.sandboxer.cli.terminal.Interrupts;
import dev.sandboxer.cli.terminal.Signals;

/** The exit code of a verb that a signal ended. */
final class Interruption {
  private Interruption() {}

  static int status(Interrupts interrupts) {
    String signal = interrupts.first();
    return signal == null ? ExitCode.INTERRUPTED : ExitCode.bySignal(Signals.number(signal));
  }
}
