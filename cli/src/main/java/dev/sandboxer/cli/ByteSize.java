package dev.sandboxer.cli;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * A size such as {@code 512Mi}, {@code 1GiB} or {@code 64m}; 4096 is 4096 bytes. Every unit is 1024
 * of the one below, whether or not an i says so.
 *
 * @param bytes how many
 */
public record ByteSize(long bytes) {
  private static final Pattern SIZE =
      Pattern.compile("([1-9]\\d{0,15})(?:([kmgt])i?b?|b)?", Pattern.CASE_INSENSITIVE);
  private static final String UNITS = "kmgt";
  private static final int STEP = 10;
  private static final long MOST = 1L << 53;

  /**
   * Reads one.
   *
   * @throws IllegalArgumentException whose message continues a sentence that begins with the text
   */
  public static ByteSize of(String text) {
    Matcher match = SIZE.matcher(text);
    if (match.matches()) {
      String unit = match.group(2) == null ? "" : match.group(2).toLowerCase(Locale.ROOT);
      int shift = unit.isEmpty() ? 0 : STEP * (UNITS.indexOf(unit) + 1);
      long number = Long.parseLong(match.group(1));
      if (number <= MOST >> shift) {
        return new ByteSize(number << shift);
      }
    }
    throw new IllegalArgumentException("must be bytes or a size such as 512Mi or 1Gi");
  }

  /** As the platform writes sizes, rounded up to whole Ki: {@code 512Mi}. */
  @Override
  public String toString() {
    long number = (bytes >> STEP) + ((bytes & 1023) == 0 ? 0 : 1);
    int unit = 0;
    while (unit < 2 && number % 1024 == 0) {
      number >>= STEP;
      unit++;
    }
    return number + "KMG".substring(unit, unit + 1) + "i";
  }

  /** Reads an option. */
  public static final class Converter implements ITypeConverter<ByteSize> {
    @Override
    public ByteSize convert(String text) {
      try {
        return of(text);
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException("'" + text + "' " + e.getMessage());
      }
    }
  }
}
