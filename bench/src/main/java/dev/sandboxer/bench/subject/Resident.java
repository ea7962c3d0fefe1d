package dev.sandboxer.bench.subject;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What a process holds in memory, as the kernel counts it. */
final class Resident {

  private Resident() {}

  static long bytes(long pid) throws IOException {
    return Files.readAllLines(Path.of("/proc", Long.toString(pid), "status")).stream()
        .filter(line -> line.startsWith("VmRSS:"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) << 10)
        .findFirst()
        .orElseThrow(() -> new IOException("process " + pid + " has no VmRSS"));
  }
}
