package dev.sandboxer.cli.top;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.cli.terminal.Spans;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What a sandbox used at one moment.
 *
 * @param nanos when, on the clock of {@link System#nanoTime}
 */
record Sample(JsonNode metrics, long nanos) {
  private static final String UNKNOWN = "-";

  /** Processors in use since {@code before}, in percent of one; the total where there is none. */
  String cpu(@Nullable Sample before) {
    JsonNode now = metrics.path("cpu_seconds");
    if (!now.isNumber()) {
      return UNKNOWN;
    }
    JsonNode then = before == null ? metrics.path("none") : before.metrics.path("cpu_seconds");
    if (before == null || !then.isNumber() || nanos <= before.nanos) {
      return String.format(Locale.ROOT, "%.1f s", now.asDouble());
    }
    double seconds = (nanos - before.nanos) / 1e9;
    return String.format(
        Locale.ROOT, "%.0f%%", Math.max(0, now.asDouble() - then.asDouble()) / seconds * 100);
  }

  String memory() {
    return bytes("memory_bytes") + of(bytes("memory_limit_bytes"));
  }

  String peak() {
    return bytes("memory_peak_bytes");
  }

  String processes() {
    return number("processes") + of(number("processes_limit"));
  }

  String disk() {
    return bytes("disk_used_bytes") + of(bytes("disk_limit_bytes"));
  }

  String kills() {
    return number("oom_kills");
  }

  private static String of(String limit) {
    return limit.equals(UNKNOWN) ? "" : " / " + limit;
  }

  private String bytes(String field) {
    JsonNode value = metrics.path(field);
    return value.isNumber() ? Spans.bytes(value.asLong()) : UNKNOWN;
  }

  private String number(String field) {
    JsonNode value = metrics.path(field);
    return value.isNumber() ? value.asText() : UNKNOWN;
  }
}
