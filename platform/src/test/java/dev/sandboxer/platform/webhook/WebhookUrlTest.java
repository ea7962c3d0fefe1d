package dev.sandboxer.platform.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** URLs that a webhook may have; where they lead is another matter. */
class WebhookUrlTest {

  @Test
  void takesUrlsApart() {
    assertThat(WebhookUrl.parse("https://example.com"))
        .isEqualTo(new WebhookUrl(true, "example.com", 443, "/"));
    assertThat(WebhookUrl.parse("http://[::1]:81/a%20b?c=d"))
        .isEqualTo(new WebhookUrl(false, "[::1]", 81, "/a%20b?c=d"));
    assertThat(WebhookUrl.parse("https://example.com").ordinary()).isTrue();
    assertThat(WebhookUrl.parse("https://example.com:8443").ordinary()).isFalse();
    assertThat(WebhookUrl.parse("http://example.com:443").ordinary()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "example.com",
        "ftp://example.com",
        "file:///etc/passwd",
        "https:///path",
        "https://user@example.com",
        "https://user:pass@example.com",
        "https://example.com/#part",
        "https://example.com:0",
        "https://example.com:65536",
        "https://example.com/\r\nHost: other",
        "https://example.com/a b",
        "https://2130706433/",
        "https://0x7f000001/",
        "https://127.1/",
        "https://ex_ample\\@127.0.0.1/",
        "https://ex\u00e4mple.com/"
      })
  void refuses(String text) {
    assertThatThrownBy(() -> WebhookUrl.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("it");
  }

  @Test
  void refusesLongOnes() {
    assertThatThrownBy(() -> WebhookUrl.parse("https://example.com/" + "a".repeat(2048)))
        .hasMessageContaining("2048");
  }
}
