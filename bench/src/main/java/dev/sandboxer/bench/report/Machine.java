package dev.sandboxer.bench.report;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What a run ran on.
 *
 * @param load one-minute load average when it began: above about 0.5 the figures are not of a quiet
 *     machine
 */
public record Machine(
    String cpu, int cores, long memoryBytes, String kernel, String jdk, double load) {

  /** This machine, now. */
  public static Machine here() {
    return new Machine(
        field("/proc/cpuinfo", "model name", "unknown processor"),
        Runtime.getRuntime().availableProcessors(),
        Long.parseLong(field("/proc/meminfo", "MemTotal", "0").replaceAll("\\D", "")) << 10,
        System.getProperty("os.name")
            + " "
            + System.getProperty("os.version")
            + " "
            + System.getProperty("os.arch"),
        System.getProperty("java.runtime.version"),
        Double.parseDouble(read("/proc/loadavg").split(" ", 2)[0]));
  }

  String text() {
    return "%s, %d cores, %.1f GB, %s, JDK %s; load %.2f at the start%s"
        .formatted(
            cpu,
            cores,
            memoryBytes / 1e9,
            kernel,
            jdk,
            load,
            load > 0.5 ? " (NOT a quiet machine)" : "");
  }

  Map<String, Object> fields() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("cpu", cpu);
    fields.put("cores", cores);
    fields.put("memory_bytes", memoryBytes);
    fields.put("kernel", kernel);
    fields.put("jdk", jdk);
    fields.put("load", load);
    return fields;
  }

  private static String field(String file, String name, String otherwise) {
    return read(file)
        .lines()
        .filter(line -> line.startsWith(name))
        .map(line -> line.substring(line.indexOf(':') + 1).strip())
        .findFirst()
        .orElse(otherwise);
  }

  private static String read(String file) {
    try {
      return Files.readString(Path.of(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
