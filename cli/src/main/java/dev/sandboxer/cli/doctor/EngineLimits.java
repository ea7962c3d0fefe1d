package dev.sandboxer.cli.doctor;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Which limits a Docker Engine cannot enforce, by the rule of ext.docker: where nothing is swapped,
 * a limit on memory alone is a whole one.
 *
 * @param info what the Engine says of itself
 * @param swaps whether this machine swaps
 */
record EngineLimits(JsonNode info, boolean swaps) {
  private static final Path MEMORY = Path.of("/proc/meminfo");

  /** On this machine. */
  static EngineLimits of(JsonNode info) {
    return new EngineLimits(info, swapping());
  }

  List<String> missing() {
    List<String> missing = new ArrayList<>();
    boolean whole = info.path("SwapLimit").asBoolean() || !swaps;
    if (!info.path("MemoryLimit").asBoolean() || !whole) {
      missing.add("memory");
    }
    if (!info.path("CpuCfsQuota").asBoolean()) {
      missing.add("cpus");
    }
    if (!info.path("PidsLimit").asBoolean(true)) {
      missing.add("pids");
    }
    return missing;
  }

  private static boolean swapping() {
    try {
      return Files.readAllLines(MEMORY).stream()
          .noneMatch(line -> line.matches("SwapTotal:\\s+0 kB"));
    } catch (IOException e) {
      return true;
    }
  }
}
