package dev.sandboxer.cli;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a time such as {@code 90s}, {@code 30m}, {@code 2h} or {@code 1d}; 60 is 60 seconds. */
public final class TimeSpan implements ITypeConverter<Duration> {
  private static final Pattern SPAN = Pattern.compile("([1-9]\\d{0,7})([smhd]?)");

  @Override
  public Duration convert(String text) {
    Matcher match = SPAN.matcher(text);
    if (!match.matches()) {
      throw new TypeConversionException(
          "'" + text + "' must be seconds, or a number with s, m, h or d, such as 90s or 2h");
    }
    long number = Long.parseLong(match.group(1));
    return switch (match.group(2)) {
      case "m" -> Duration.ofMinutes(number);
      case "h" -> Duration.ofHours(number);
      case "d" -> Duration.ofDays(number);
      default -> Duration.ofSeconds(number);
    };
  }
}
