package dev.sandboxer.cli.port;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandboxer.cli.Failure;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ForwardingTest {

  @Test
  void whatIsUnderstood() {
    assertThat(Forwarding.of("8080:80")).isEqualTo(new Forwarding(8080, 80));
    assertThat(Forwarding.of("0:80")).isEqualTo(new Forwarding(0, 80));
    assertThat(Forwarding.of(":80")).isEqualTo(new Forwarding(0, 80));
    assertThat(Forwarding.of("80")).isEqualTo(new Forwarding(80, 80));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", ":", "80:", "80:0", "0", "65536:80", "80:65536", "a:80", "1:2:3", "-1:80"})
  void whatIsNot(String text) {
    assertThatThrownBy(() -> Forwarding.of(text))
        .isInstanceOf(Failure.class)
        .hasMessageContaining("LOCAL:REMOTE");
  }
}
