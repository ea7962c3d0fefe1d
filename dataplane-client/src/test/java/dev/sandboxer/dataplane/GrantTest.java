package dev.sandboxer.dataplane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.URI;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GrantTest {
  private static ObjectNode answer(String http, String ws, String token, String end) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("http_base_url", http)
        .put("ws_base_url", ws)
        .put("token", token)
        .put("expires_at", end);
  }

  @Test
  void thePlatformsAnswerIsRead() {
    Grant grant =
        Grant.of(answer("https://a/dp/x/v1/", "wss://a/dp/x/v1", "t", "2100-01-01T00:00:00Z"));
    assertThat(grant)
        .isEqualTo(
            new Grant(
                URI.create("https://a/dp/x/v1"),
                URI.create("wss://a/dp/x/v1"),
                "t",
                Instant.parse("2100-01-01T00:00:00Z")))
        .hasToString("https://a/dp/x/v1");
  }

  @Test
  void oneAddressGivesBoth() {
    assertThat(Grant.of(URI.create("https://a:1/v1/"), "t").ws())
        .isEqualTo(URI.create("wss://a:1/v1"));
  }

  @ParameterizedTest
  @CsvSource({
    "ftp://a/v1, ws://a/v1, t, 2100-01-01T00:00:00Z, http_base_url is 'ftp:",
    "http:///v1, ws://a/v1, t, 2100-01-01T00:00:00Z, http_base_url is 'http:///v1'",
    "http://a/v1, http://a/v1, t, 2100-01-01T00:00:00Z, ws_base_url is 'http:",
    "http://[::, ws://a/v1, t, 2100-01-01T00:00:00Z, http://[::",
    "http://a/v1, ws://a/v1, '', 2100-01-01T00:00:00Z, token is empty",
    "http://a/v1, ws://a/v1, 'a\r\nX: y', 2100-01-01T00:00:00Z, no header may have",
    "http://a/v1, ws://a/v1, t, tomorrow, could not be parsed"
  })
  void whatIsNoGrantIsRefused(String http, String ws, String token, String end, String why) {
    assertThatThrownBy(() -> Grant.of(answer(http, ws, token, end)))
        .isInstanceOf(BadAnswer.class)
        .hasMessageContaining("the platform's grant cannot be read")
        .hasMessageContaining(why);
  }
}
