package dev.sandboxer.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class OptionsTest {

  private static final List<String> KNOWN = List.of("start", "exec", "relay");

  @Test
  void noGroupMeansAll() {
    assertThat(parse()).isEqualTo(new Options(KNOWN, false));
    assertThat(parse("--json")).isEqualTo(new Options(KNOWN, true));
  }

  @Test
  void groupsComeInTheirOwnOrder() {
    assertThat(parse("relay", "start")).isEqualTo(new Options(List.of("start", "relay"), false));
  }

  @Test
  void unknownWordsAreNamed() {
    assertThatThrownBy(() -> parse("--fast"))
        .hasMessage("bench: '--fast' is unknown; it takes --json and any of: start, exec, relay");
  }

  private static Options parse(String... words) {
    return Options.parse(words, KNOWN);
  }
}
