package dev.sandboxer.cli.doctor;

import dev.sandboxer.cli.terminal.Spans;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Whether SANDBOXER_HOME can be used. */
final class HomeCheck {
  private static final long LEAST_BYTES = 100L << 20;
  private static final String ELSEWHERE = "export SANDBOXER_HOME=/a/folder/that/you/may/write";

  private HomeCheck() {}

  static Check of(Path home) {
    try {
      Path there = home.toAbsolutePath();
      while (!Files.exists(there) && there.getParent() != null) {
        there = there.getParent();
      }
      long free = Files.getFileStore(there).getUsableSpace();
      if (!Files.isDirectory(there) || !Files.isWritable(there)) {
        return Check.bad("home", there + " cannot be written", ELSEWHERE);
      }
      if (free < LEAST_BYTES) {
        return Check.bad("home", home + ": only " + Spans.bytes(free) + " free", ELSEWHERE);
      }
      return Check.good(
          "home",
          home + (there.equals(home) ? ", " : " (not made yet), ") + Spans.bytes(free) + " free");
    } catch (IOException e) {
      return Check.bad("home", home + " cannot be looked at: " + e.getMessage(), ELSEWHERE);
    }
  }
}
