package dev.sandboxer.ext.nsjail;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;

/**
 * A process id with its start time in clock ticks since boot: an id alone may be another's by now.
 *
 * @param pid 0 for none
 * @param start as /proc says
 */
record HostProcess(long pid, String start) {
  static final HostProcess NONE = new HostProcess(0, "");

  private static final Pattern SPACE = Pattern.compile(" ");
  private static final int STATE = 0;
  private static final int START = 19;

  /** Reads {@code <pid>:<start>}; anything else is {@link #NONE}. */
  static HostProcess parse(String text) {
    int colon = text.indexOf(':');
    if (colon < 1 || !text.substring(0, colon).chars().allMatch(Character::isDigit)) {
      return NONE;
    }
    return new HostProcess(Long.parseLong(text.substring(0, colon)), text.substring(colon + 1));
  }

  boolean alive() {
    if (pid < 2) {
      return false;
    }
    try {
      Path stat = Path.of("/proc", Long.toString(pid), "stat");
      String line = Files.readString(stat, StandardCharsets.ISO_8859_1);
      // The name in parentheses may hold anything, so count from its end.
      String[] fields = SPACE.split(line.substring(line.lastIndexOf(')') + 2), -1);
      return !fields[STATE].equals("Z")
          && !fields[STATE].equals("X")
          && fields[START].equals(start);
    } catch (IOException e) {
      return false;
    }
  }

  @Override
  public String toString() {
    return pid + ":" + start;
  }
}
