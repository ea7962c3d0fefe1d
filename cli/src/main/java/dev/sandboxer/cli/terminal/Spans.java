package dev.sandboxer.cli.terminal;

import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.Optional;

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

  /** How long ago {@code at} was, an instant of an answer; `-` if it is none or lies ahead. */
  public static String since(String at, Instant now) {
    return instant(at).map(then -> ahead(Duration.between(then, now))).orElse("-");
  }

  /**
   * How long it is until {@code at}, from two minutes on to the nearest minute, such as `2 h 59
   * min`; `-` if that is no instant or has passed.
   */
  public static String until(String at, Instant now) {
    return instant(at).map(then -> left(Duration.between(now, then))).orElse("-");
  }

  private static String left(Duration span) {
    if (span.toMillis() < 2 * MINUTE) {
      return ahead(span);
    }
    long minutes = (span.toMillis() + MINUTE / 2) / MINUTE;
    if (minutes < 120) {
      return minutes + " min";
    }
    String hours = minutes / 60 + " h";
    return minutes % 60 == 0 ? hours : hours + " " + minutes % 60 + " min";
  }

  private static String ahead(Duration span) {
    return span.isNegative() ? "-" : of(span);
  }

  private static Optional<Instant> instant(String text) {
    try {
      return Optional.of(Instant.parse(text));
    } catch (DateTimeParseException e) {
      return Optional.empty();
    }
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
