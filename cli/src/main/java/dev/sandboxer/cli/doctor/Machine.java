package dev.sandboxer.cli.doctor;

import java.util.ArrayList;
import java.util.List;

/**
 * The tools of this machine, as the script beside the command line found them: it needs to know
 * them before there is a JDK, and hands over in SANDBOXER_MACHINE a line each, {@code name|ok or
 * bad|detail|remedy}.
 */
final class Machine {
  private static final int FIELDS = 4;

  private Machine() {}

  static List<Check> read(String facts) {
    List<Check> checks = new ArrayList<>();
    facts
        .lines()
        .map(line -> line.split("\\|", FIELDS))
        .filter(fields -> fields.length == FIELDS)
        .forEach(
            fields ->
                checks.add(new Check(fields[0], fields[1].equals("ok"), fields[2], fields[3])));
    return checks;
  }
}
