package dev.sandboxer.platform.pricing;

import dev.sandboxer.platform.sandbox.ExtensionId;
import dev.sandboxer.spi.ExtensionDescriptor.PricingModel;
import dev.sandboxer.yaml.YamlException;
import dev.sandboxer.yaml.YamlValue;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the values of price lists. */
final class PriceFields {

  private static final Pattern AMOUNT = Pattern.compile("\\d{1,12}(\\.\\d{1,12})?");
  private static final Pattern NAME = Pattern.compile("[^\\p{Cntrl}\\s]{1,128}");
  private static final Pattern SPAN = Pattern.compile("(\\d{1,6})([smhd])");

  private PriceFields() {}

  /** Not negative. The file's digits count, quoted or not: no binary fraction lies between. */
  static BigDecimal amount(YamlValue value) throws YamlException {
    String text = value.text();
    if (text.startsWith("-")) {
      throw value.wrong("%s must not be negative".formatted(value.shown()));
    }
    if (!AMOUNT.matcher(text).matches()) {
      throw value.wrong("%s must be a decimal number such as 0.0504".formatted(value.shown()));
    }
    return new BigDecimal(text);
  }

  static String currency(YamlValue value) throws YamlException {
    try {
      return Currencies.checked(value.text());
    } catch (IllegalArgumentException e) {
      throw value.wrong(String.valueOf(e.getMessage()));
    }
  }

  /** The first moment of a day, UTC. */
  static Instant day(YamlValue value) throws YamlException {
    try {
      return LocalDate.parse(value.text()).atStartOfDay(ZoneOffset.UTC).toInstant();
    } catch (DateTimeException e) {
      throw value.wrong("%s must be a date such as 2026-01-31".formatted(value.shown()));
    }
  }

  static Duration span(YamlValue value) throws YamlException {
    Matcher match = SPAN.matcher(value.text());
    if (!match.matches()) {
      throw value.wrong(
          "%s must be a duration with a unit (s, m, h, d), such as 60s".formatted(value.shown()));
    }
    long number = Long.parseLong(match.group(1));
    return switch (match.group(2)) {
      case "s" -> Duration.ofSeconds(number);
      case "m" -> Duration.ofMinutes(number);
      case "h" -> Duration.ofHours(number);
      default -> Duration.ofDays(number);
    };
  }

  static PricingModel basis(YamlValue value) throws YamlException {
    return switch (value.text()) {
      case "allocated" -> PricingModel.ALLOCATED;
      case "active" -> PricingModel.ACTIVE;
      default -> throw value.wrong("%s must be allocated or active".formatted(value.shown()));
    };
  }

  static ExtensionId extension(YamlValue value) throws YamlException {
    try {
      return new ExtensionId(value.text());
    } catch (IllegalArgumentException e) {
      throw value.wrong(
          "%s must be ext.<name>, lower case letters, digits and dashes".formatted(value.shown()));
    }
  }

  static String name(YamlValue value) throws YamlException {
    String text = value.text();
    if (!NAME.matcher(text).matches()) {
      throw value.wrong("%s must be a name of 1 to 128 characters".formatted(value.shown()));
    }
    return text;
  }
}
