package dev.sandboxer.platform.dataplane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandboxer.spi.DataplaneAddress.HttpsBase;
import dev.sandboxer.spi.DataplaneAddress.Trust;
import java.net.URI;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What an extension may say of an HTTPS address. */
class HttpsBaseTest {

  @Test
  void a_text_of_it_has_neither_headers_nor_path() {
    HttpsBase base =
        new HttpsBase(
            URI.create("https://box.example:8443/secret"),
            Map.of("X-Key", "secret"),
            Trust.AUTHORITIES);

    assertThat(base.toString()).contains("box.example").doesNotContain("secret");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://a",
        "https:///x",
        "https://u@a",
        "https://a?q",
        "https://a#f",
        "a",
        "wss://a"
      })
  void what_is_no_https_base_is_refused(String base) {
    assertThatThrownBy(() -> new HttpsBase(URI.create(base), Map.of(), Trust.PINNED))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("https://HOST");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Authorization",
        "host",
        "Content-Length",
        "Transfer-Encoding",
        "Upgrade",
        "Connection",
        "Sec-WebSocket-Key",
        "a b",
        "a:b",
        ""
      })
  void headers_of_the_platform_and_odd_ones_are_refused(String name) {
    assertThatThrownBy(
            () -> new HttpsBase(URI.create("https://a"), Map.of(name, "x"), Trust.PINNED))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("header '" + name + "'");
  }

  @ParameterizedTest
  @ValueSource(strings = {"a\r\nb", "a\nb", "\u00e4", "\u0000"})
  void values_that_could_end_a_line_are_refused(String value) {
    assertThatThrownBy(
            () -> new HttpsBase(URI.create("https://a"), Map.of("X-A", value), Trust.PINNED))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageNotContaining(value);
  }
}
