package dev.sandboxer.bench.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class LedgerTest {

  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00.250Z");
  private final Ledger ledger = new Ledger();

  private void tell(String sandbox, int... numbers) throws IOException {
    for (int seq : numbers) {
      String entry =
          """
          {"summary": "a", "detail": {"seq": %d, "occurred_at":"2026-01-01T00:00:00Z",
           "sandbox_id": "%s", "consumer": {}}}
          """
              .formatted(seq, sandbox);
      ledger.add(Told.in(entry), NOW);
    }
  }

  @Test
  void countsEachEventOnce() throws IOException {
    tell("sb_a", 1, 2, 2, 1, 3);
    tell("sb_b", 1);
    assertThatCode(() -> ledger.await(4, Duration.ZERO)).doesNotThrowAnyException();
    assertThat(ledger.delays().percentile(100)).isEqualTo(250);
  }

  @Test
  void aHoleIsToldAlsoIfItIsFilledLater() throws IOException {
    tell("sb_a", 1, 3, 2);
    assertThatThrownBy(() -> ledger.await(2, Duration.ZERO))
        .hasMessage("sb_a: event 3 came after 1");
  }

  @Test
  void aBeginningThatIsMissingIsAHole() throws IOException {
    tell("sb_a", 2);
    assertThatThrownBy(() -> ledger.await(1, Duration.ZERO))
        .hasMessage("sb_a: event 2 came after 0");
  }

  @Test
  void tooFewAreTold() throws IOException {
    tell("sb_a", 1);
    assertThatThrownBy(() -> ledger.await(2, Duration.ZERO))
        .hasMessage("1 events arrived, 2 happened");
  }

  @Test
  void whatIsNoEventIsRefused() {
    assertThatThrownBy(() -> Told.in("{\"seq\":1}")).hasMessageContaining("sandbox_id");
  }
}
