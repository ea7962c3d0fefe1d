package dev.sandboxer.platform.audit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;

/** What anybody may send into the audit does no harm there. */
class AuditEntryTest {

  private static AuditEntry of(String text) {
    return new AuditEntry(
        0, Instant.EPOCH, text, text, text, text, text, text, text, text, text, text, text);
  }

  @Test
  void controlCharactersAndHalvesAreSeenInAllTexts() {
    String harmless = "a\\u0000b\\u001b\\u007f\\u0085\\ud83d \uD83D\uDE00 é \\";
    assertThat(of("a\0b\u001b\u007f\u0085\uD83D \uD83D\uDE00 é \\"))
        .isEqualTo(of(harmless))
        .satisfies(entry -> assertThat(entry.action()).isEqualTo(harmless));
    assertThat(
            new AuditEntry(
                    0,
                    Instant.EPOCH,
                    "r",
                    null,
                    null,
                    null,
                    null,
                    null,
                    null,
                    null,
                    "a",
                    "ok",
                    null)
                .caller())
        .isNull();
  }

  @Test
  void whatIsTooLongForAnIndexIsCutAndNotWithinACharacter() {
    assertThat(of("x".repeat(10_000)).sessionId()).isEqualTo("x".repeat(512));
    assertThat(of("\0".repeat(10_000)).sessionId()).hasSize(510).endsWith("\\u0000");
    String faces = "\uD83D\uDE00".repeat(256);
    assertThat(of(faces).scopeId()).as("the longest id that a scope may have").isEqualTo(faces);
    assertThat(of("x" + faces).scopeId()).hasSize(511);
  }
}
