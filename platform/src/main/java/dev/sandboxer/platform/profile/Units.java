package dev.sandboxer.platform.profile;

import dev.sandboxer.yaml.YamlException;
import dev.sandboxer.yaml.YamlValue;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Sizes such as {@code 512Mi} and durations such as {@code 30m}. A bare number has no unit. */
public final class Units {

  private static final Pattern SIZE = Pattern.compile("([1-9]\\d{0,9})(Ki|Mi|Gi)");
  private static final Pattern DURATION = Pattern.compile("([1-9]\\d{0,5})([smhd])");
  private static final long MOST_BYTES = 1L << 44;
  private static final long LEAST_SYNC = 10;
  private static final long MOST_SYNC = 86_400;

  private Units() {}

  static long size(YamlValue value) throws YamlException {
    String text = value.text();
    try {
      return size(text);
    } catch (IllegalArgumentException e) {
      throw value.wrong(value.shown() + " " + e.getMessage());
    }
  }

  /**
   * Reads a size.
   *
   * @param text such as {@code 512Mi}
   * @return in bytes
   * @throws IllegalArgumentException if it is not a size or too large; the message continues a
   *     sentence that begins with the text
   */
  public static long size(String text) {
    Matcher match = SIZE.matcher(text);
    if (!match.matches()) {
      throw new IllegalArgumentException("must be a size with a unit (Ki, Mi, Gi), such as 512Mi");
    }
    int shift =
        switch (match.group(2)) {
          case "Ki" -> 10;
          case "Mi" -> 20;
          default -> 30;
        };
    long bytes = Long.parseLong(match.group(1)) << shift;
    if (bytes > MOST_BYTES) {
      throw new IllegalArgumentException("is more than 16384Gi");
    }
    return bytes;
  }

  static Duration duration(YamlValue value) throws YamlException {
    try {
      return duration(value.text());
    } catch (IllegalArgumentException e) {
      throw value.wrong(value.shown() + " " + e.getMessage());
    }
  }

  /**
   * Reads a duration.
   *
   * @param text such as {@code 30m}
   * @return at least a second
   * @throws IllegalArgumentException if it is not a duration; the message continues a sentence that
   *     begins with the text
   */
  static Duration duration(String text) {
    Matcher match = DURATION.matcher(text);
    if (!match.matches()) {
      throw new IllegalArgumentException(
          "must be a duration with a unit (s, m, h, d), such as 30m");
    }
    long number = Long.parseLong(match.group(1));
    return switch (match.group(2)) {
      case "s" -> Duration.ofSeconds(number);
      case "m" -> Duration.ofMinutes(number);
      case "h" -> Duration.ofHours(number);
      default -> Duration.ofDays(number);
    };
  }

  /**
   * Reads how often a copied folder is written back.
   *
   * @param text such as {@code 5m}
   * @return in seconds
   * @throws IllegalArgumentException if it is not a duration from 10s to 24h; the message continues
   *     a sentence that begins with the text
   */
  public static long syncSeconds(String text) {
    long seconds = duration(text).toSeconds();
    if (seconds < LEAST_SYNC || seconds > MOST_SYNC) {
      throw new IllegalArgumentException("must be from 10s to 24h");
    }
    return seconds;
  }

  /** The shortest form that reads back as the same. */
  static String text(Duration span) {
    long seconds = span.toSeconds();
    if (seconds % 86_400 == 0) {
      return seconds / 86_400 + "d";
    }
    if (seconds % 3600 == 0) {
      return seconds / 3600 + "h";
    }
    return seconds % 60 == 0 ? seconds / 60 + "m" : seconds + "s";
  }
}
