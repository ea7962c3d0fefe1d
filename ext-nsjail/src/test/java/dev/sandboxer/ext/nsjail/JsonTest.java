package dev.sandboxer.ext.nsjail;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JsonTest {
  @Test
  void quotesWhatJsonWants() {
    assertThat(Json.write(Map.of("a\"\\\n\u0001é", List.of(1, 2L, true, "x"))))
        .isEqualTo("{\"a\\\"\\\\\\u000a\\u0001é\":[1,2,true,\"x\"]}");
  }
}
