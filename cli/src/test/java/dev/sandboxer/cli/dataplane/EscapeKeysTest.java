package dev.sandboxer.cli.dataplane;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EscapeKeysTest {

  /** The keys come one by one and all at once; `!` stands for Enter. */
  @ParameterizedTest
  @CsvSource({
    "ls!, ls!, false",
    "~., '', true",
    "ls!~.more, ls!, true",
    "a~.b, a~.b, false",
    "~~.!, ~.!, false",
    "~~!~., ~!, true",
    "~x~., ~x~., false",
    "!~!~., !~!, true",
  })
  void aTildeAndADotAtTheBeginningOfALineHangUp(String keys, String passed, boolean hungUp) {
    byte[] bytes = keys.replace('!', '\r').getBytes(StandardCharsets.US_ASCII);
    EscapeKeys whole = new EscapeKeys();
    assertThat(text(whole.pass(bytes, bytes.length))).isEqualTo(passed);
    assertThat(whole.hungUp()).isEqualTo(hungUp);
    EscapeKeys single = new EscapeKeys();
    StringBuilder got = new StringBuilder();
    for (byte key : bytes) {
      got.append(text(single.pass(new byte[] {key}, 1)));
    }
    assertThat(got).hasToString(passed);
    assertThat(single.hungUp()).isEqualTo(hungUp);
  }

  private static String text(byte[] keys) {
    return new String(keys, StandardCharsets.US_ASCII).replace('\r', '!');
  }
}
