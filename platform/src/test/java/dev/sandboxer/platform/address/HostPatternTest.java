package dev.sandboxer.platform.address;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HostPatternTest {

  @ParameterizedTest
  @CsvSource({
    "example.com, example.com, true",
    "Example.COM, eXample.com., true",
    "example.com, www.example.com, false",
    "example.com, notexample.com, false",
    "example.com, example.com.evil.net, false",
    "*.example.com, www.example.com, true",
    "*.example.com, example.com, false",
    "*.example.com, a.b.example.com, false",
    "*.example.com, .example.com, false",
    "xn--bcher-kva.example, XN--bcher-kva.example, true",
    "localhost, localhost, true",
    "localhost, 127.0.0.1, false",
    "a_b.example, a_b.example, true",
  })
  void matches_a_name_or_one_label_below_it(String pattern, String host, boolean matches) {
    assertThat(HostName.parse(host).filter(HostPattern.parse(pattern)::matches).isPresent())
        .isEqualTo(matches);
  }

  @ParameterizedTest
  @CsvSource({
    "*, network.mode: public",
    "*.com, top-level domain",
    "'', host name",
    "*., host name",
    "*.*.com, host name",
    "a.*.com, host name",
    "example.com., host name",
    ".example.com, host name",
    "exa mple.com, host name",
    "https://example.com, host name",
    "example.com:443, host name",
    "bücher.example, xn--",
    "10.0.0.1, is an address",
    "2001:db8::1, is an address",
    "[::1], is an address",
    "1.2.3, host name",
    "2130706433, host name",
    "0x7f.1, host name",
  })
  void a_pattern_that_is_none_says_why(String pattern, String message) {
    assertThatThrownBy(() -> HostPattern.parse(pattern))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
  }
}
