package dev.sandboxer.cli.terminal;

import java.util.Map;

/** Signal names and their numbers on Linux. */
public final class Signals {
  private static final int UNKNOWN = 127;
  private static final Map<String, Integer> NUMBERS =
      Map.ofEntries(
          Map.entry("HUP", 1),
          Map.entry("INT", 2),
          Map.entry("QUIT", 3),
          Map.entry("ILL", 4),
          Map.entry("TRAP", 5),
          Map.entry("ABRT", 6),
          Map.entry("BUS", 7),
          Map.entry("FPE", 8),
          Map.entry("KILL", 9),
          Map.entry("USR1", 10),
          Map.entry("SEGV", 11),
          Map.entry("USR2", 12),
          Map.entry("PIPE", 13),
          Map.entry("ALRM", 14),
          Map.entry("TERM", 15),
          Map.entry("STKFLT", 16),
          Map.entry("XCPU", 24),
          Map.entry("XFSZ", 25),
          Map.entry("VTALRM", 26),
          Map.entry("PROF", 27),
          Map.entry("IO", 29),
          Map.entry("PWR", 30),
          Map.entry("SYS", 31));

  private Signals() {}

  /**
   * The number of `KILL`, `SIGKILL` or `9`; 127 for a name that is none, so that the exit code
   * still says failed.
   */
  public static int number(String name) {
    if (name.matches("[0-9]{1,2}")) {
      return Integer.parseInt(name);
    }
    return NUMBERS.getOrDefault(name.startsWith("SIG") ? name.substring(3) : name, UNKNOWN);
  }
}
