package dev.sandboxer.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SpansTest {

  private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");

  @ParameterizedTest
  @CsvSource({
    "PT0.05S, 50 ms",
    "PT9.5S, 9.5 s",
    "PT1M59S, 119 s",
    "PT9M59.8S, 10 min",
    "PT1H59M, 119 min",
    "PT1H59M59.9S, 2 h",
    "PT2H31M, 2 h 31 min",
    "PT2H59M59.2S, 3 h",
    "PT-1S, -"
  })
  void untilIsToTheNearestMinute(Duration left, String shown) {
    assertThat(Spans.until(NOW.plus(left).toString(), NOW)).isEqualTo(shown);
  }

  @ParameterizedTest
  @CsvSource({"PT2H59M, 2 h", "PT-1S, -"})
  void sinceCountsWhatHasPassed(Duration ago, String shown) {
    assertThat(Spans.since(NOW.minus(ago).toString(), NOW)).isEqualTo(shown);
  }

  @ParameterizedTest
  @CsvSource({"'', -", "soon, -"})
  void whatIsNoInstantIsADash(String text, String shown) {
    assertThat(Spans.until(text, NOW)).isEqualTo(shown);
  }
}
