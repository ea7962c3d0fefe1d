package dev.sandboxer.cli.dataplane;

import dev.sandboxer.cli.ExitCode;
import dev.sandboxer.cli.terminal.Signals;
import dev.sandboxer.dataplane.exec.CommandEnd;

/** What the command line exits with after a command inside. */
public final class CommandStatus {
  private static final int TIMED_OUT = 124;
  private static final int BYTE = 0xff;

  private CommandStatus() {}

  /** The command's own code, 128 + n for signal n, 124 after a timeout. */
  public static int of(CommandEnd end) {
    if (end.timedOut()) {
      return TIMED_OUT;
    }
    String signal = end.signal();
    if (signal != null) {
      return ExitCode.bySignal(Signals.number(signal));
    }
    Integer exitCode = end.exitCode();
    return exitCode == null ? ExitCode.SANDBOXER : exitCode & BYTE;
  }
}
