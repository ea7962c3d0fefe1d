package dev.sandboxer.ext.docker;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Whether this machine swaps. Where it does not, a limit on memory alone is a whole one. */
final class Swap {

  private static final Path MEMORY = Path.of("/proc/meminfo");

  private Swap() {}

  static boolean exists() {
    try {
      return Files.readAllLines(MEMORY).stream()
          .noneMatch(line -> line.matches("SwapTotal:\\s+0 kB"));
    } catch (IOException e) {
      return true;
    }
  }
}
