package dev.sandboxer.cli.copy;

import dev.sandboxer.dataplane.archive.Tally;
import java.util.List;

/**
 * What a copy was.
 *
 * @param to where it went
 * @param tally files and bytes, and what was left out
 */
record Copied(String to, Tally tally) {
  static Copied file(String to, long bytes) {
    return new Copied(to, new Tally(1, bytes, List.of(), 0));
  }
}
