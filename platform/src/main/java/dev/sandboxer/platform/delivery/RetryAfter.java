package dev.sandboxer.platform.delivery;

import java.net.http.HttpHeaders;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Optional;

/** Reads {@code Retry-After} (RFC 9110, 10.2.3): seconds or a date, at most an hour. */
public final class RetryAfter {

  private static final Duration LONGEST = Duration.ofHours(1);

  private RetryAfter() {}

  static Optional<Duration> of(HttpHeaders headers, InstantSource clock) {
    return headers.firstValue("Retry-After").flatMap(text -> of(text, clock));
  }

  /**
   * Reads the header's value.
   *
   * @param text seconds or a date
   * @param clock for dates
   * @return how long to wait, empty if it is neither
   */
  public static Optional<Duration> of(String text, InstantSource clock) {
    return parse(text, clock).map(RetryAfter::bounded);
  }

  private static Optional<Duration> parse(String text, InstantSource clock) {
    if (text.matches("[0-9]{1,9}")) {
      return Optional.of(Duration.ofSeconds(Long.parseLong(text)));
    }
    try {
      Instant at = ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant();
      return Optional.of(Duration.between(clock.instant(), at));
    } catch (DateTimeParseException e) {
      return Optional.empty();
    }
  }

  private static Duration bounded(Duration asked) {
    if (asked.isNegative()) {
      return Duration.ZERO;
    }
    return asked.compareTo(LONGEST) > 0 ? LONGEST : asked;
  }
}
