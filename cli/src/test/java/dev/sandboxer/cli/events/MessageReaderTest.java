package dev.sandboxer.cli.events;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MessageReaderTest {

  private static MessageReader reader(String text) {
    return new MessageReader(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"\n", "\r", "\r\n"})
  void linesEndInThreeWays(String end) throws IOException {
    String text = "id: 1|event: e|data: a|data:b||: comment||data: cut off";
    MessageReader reader = reader(text.replace("|", end));
    assertThat(reader.next()).isEqualTo(new Message("1", "e", "a\nb"));
    assertThat(reader.next()).isEqualTo(new Message("1", "", ""));
    assertThat(reader.next()).isNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {"data: x", "data: x\n", ":"})
  void whatIsLongerThanAnyEventIsGivenUp(String again) {
    byte[] text = again.repeat(5_000_000).getBytes(StandardCharsets.UTF_8);
    assertThatThrownBy(() -> new MessageReader(new ByteArrayInputStream(text)).next())
        .isInstanceOf(IOException.class)
        .hasMessageContaining("longer than");
  }

  @Test
  void anEmptyStreamHasNone() throws IOException {
    assertThat(reader("").next()).isNull();
  }
}
