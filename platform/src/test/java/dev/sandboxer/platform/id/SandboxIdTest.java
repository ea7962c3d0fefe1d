package dev.sandboxer.platform.id;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SandboxIdTest {

  private static final String RAW = "a0z9abcdefghij012345";

  @Test
  void whatCallersSendIsRead() {
    SandboxId id = SandboxId.parse("sb_" + RAW).orElseThrow();
    assertThat(id).isEqualTo(new SandboxId(RAW));
    assertThat(id.raw()).isEqualTo(RAW);
    assertThat(id.publicId()).isEqualTo("sb_" + RAW);
    assertThat(id).hasToString("sb_" + RAW);
  }

  @Test
  void aNewOneHasTheForm() {
    SandboxId made = new Ids().sandbox();
    assertThat(SandboxId.parse(made.publicId())).contains(made);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "a",
        "0a0z9abcdefghij01234",
        "a0z9abcdefghij01234",
        "a0z9abcdefghij0123456",
        "A0z9abcdefghij012345",
        "a0z9abcdefghij01234Z",
        "a0z9abcdefghij01234/",
        "a0z9abcdefghij01234{",
        "a0z9abcdefghij01234:",
        "a0z9abcdefghij01234`",
        "a0z9abcdefghij01234\u0661",
        "sb_a0z9abcdefghij012"
      })
  void everythingElseIsRefused(String text) {
    assertThat(SandboxId.parse("sb_" + text)).isEmpty();
    assertThat(SandboxId.parse(text)).isEmpty();
    assertThatThrownBy(() -> new SandboxId(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'" + text + "'");
  }

  @Test
  void theRawFormIsNotWhatCallersSend() {
    assertThat(SandboxId.parse(RAW)).isEmpty();
  }
}
