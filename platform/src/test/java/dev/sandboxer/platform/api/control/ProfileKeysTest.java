package dev.sandboxer.platform.api.control;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ProfileKeysTest {

  @Test
  void theLimitComesBeforeWhatAcceptsThatItIsMissing() {
    assertThat(
            ProfileKeys.of(
                "UNSUPPORTED",
                "cannot enforce resources.memory: …; 'best_effort: [memory]' accepts that"))
        .contains("resources.memory, best_effort");
  }
}
