package dev.sandboxer.cli.terminal;

import java.time.Duration;
import java.util.Locale;

/** Durations and sizes as a person reads them. */
public final class Spans {
  private static final long SECOND = 1000;
  private static final long MINUTE = 60 * SECOND;
  private static final long HOUR = 60 * MINUTE;
  private static final double KIB = 1024;

  private Spans() {}

  /** For example `28 ms`, `0.4 s`, `12 s`, `3 min`, `5 h`. */
  public static String of(Duration span) {
    long millis = span.toMillis();
    if (millis < 100) {
      return millis + " ms";
    }
    if (millis < 10 * SECOND) {
      return String.format(Locale.ROOT, "%.1f s", millis / (double) SECOND);
    }
    if (millis < 2 * MINUTE) {
      return millis / SECOND + " s";
    }
    return millis < 2 * HOUR ? millis / MINUTE + " min" : millis / HOUR + " h";
  }

  /** For example `512 B`, `3.4 KiB`, `1.0 GiB`. */
  public static String bytes(long count) {
    if (count < KIB) {
      return count + " B";
    }
    double size = count;
    String unit = "B";
    for (String next : new String[] {"KiB", "MiB", "GiB", "TiB"}) {
      if (size < KIB) {
        break;
      }
      size /= KIB;
      unit = next;
    }
    return String.format(Locale.ROOT, "%.1f %s", size, unit);
  }
}
