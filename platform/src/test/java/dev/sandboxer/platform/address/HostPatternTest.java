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
    "10.1.2.0/24, 10.1.2.255, true",
    "10.1.2.0/24, 10.1.3.0, false",
    "10.1.2.0/24, ::ffff:10.1.2.3, true",
    "10.1.2.0/24, [64:ff9b::10.1.2.3], true",
    "10.1.2.3/32, 10.1.2.3, true",
    "10.1.2.3/32, 10.1.2.4, false",
    "10.1.2.0/24, localhost, false",
    "10.1.2.0/24, fd00::1, false",
    "FD00::/8, fd12::1, true",
    "fd00::/8, fe00::1, false",
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
    "10.0.0.1, write 10.0.0.1/32",
    "fd00::1, write fd00:0:0:0:0:0:0:1/128",
    "10.1.2.7/24, write 10.1.2.0/24",
    "fd12::/8, write fd00:0:0:0:0:0:0:0/8",
    "10.0.0.0/33, no range",
    "::ffff:10.0.0.0/104, no range",
    "10.0.0.0/, host name",
    "10.0.0/8, host name",
    "*.10.0.0.0/8, host name",
    "[fd00::]/8, host name",
  })
  void a_pattern_that_is_none_says_why(String pattern, String message) {
    assertThatThrownBy(() -> HostPattern.parse(pattern))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
  }
}
