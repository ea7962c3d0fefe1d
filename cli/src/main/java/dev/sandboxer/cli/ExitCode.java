package dev.sandboxer.cli;

/** Exit codes that are Sandboxer's own; every other one is the command's inside the sandbox. */
public final class ExitCode {
  public static final int OK = 0;

  /** A verb found what it looked for and it is bad: `doctor` with nothing that can run. */
  public static final int FAILED = 1;

  /** The command line is wrong. */
  public static final int USAGE = 2;

  /** Sandboxer itself failed: no platform, no sandbox, a lost connection, a full disk. */
  public static final int SANDBOXER = 125;

  /** Ended by Ctrl-C. */
  public static final int INTERRUPTED = 130;

  private static final int BY_SIGNAL = 128;

  private ExitCode() {}

  /** What a shell answers for a command that signal number {@code number} ended. */
  public static int bySignal(int number) {
    return BY_SIGNAL + number;
  }
}
