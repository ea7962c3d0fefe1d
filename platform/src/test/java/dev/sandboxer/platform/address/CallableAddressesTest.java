package dev.sandboxer.platform.address;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is not public stays uncalled, however it is written, until the operator opens it. */
class CallableAddressesTest {

  private static final CallableAddresses NOTHING_OPENED = new CallableAddresses(List.of());

  @ParameterizedTest
  @ValueSource(
      strings = {
        "0.0.0.0",
        "10.0.0.1",
        "100.64.0.1",
        "100.127.255.255",
        "127.0.0.1",
        "127.255.255.254",
        "169.254.169.254",
        "172.16.0.1",
        "172.31.255.255",
        "192.0.0.8",
        "192.0.2.1",
        "192.168.1.1",
        "198.18.0.1",
        "198.51.100.1",
        "203.0.113.1",
        "224.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.1",
        "::ffff:169.254.169.254",
        "::127.0.0.1",
        "64:ff9b::10.0.0.1",
        "64:ff9b::169.254.169.254",
        "64:ff9b:1::1",
        "100::1",
        "2001::1",
        "2001:db8::1",
        "2002:7f00:1::",
        "2002:a00:1::1",
        "3fff::1",
        "fc00::1",
        "fd00:ec2::254",
        "fe80::1",
        "ff02::1"
      })
  void isNotPublic(String text) {
    assertThat(NOTHING_OPENED.isPublic(InetAddress.ofLiteral(text))).isFalse();
    assertThat(NOTHING_OPENED.isOpened(InetAddress.ofLiteral(text))).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "8.8.8.8",
        "100.128.0.1",
        "172.32.0.1",
        "192.0.1.1",
        "198.20.0.1",
        "223.255.255.255",
        "::ffff:8.8.8.8",
        "64:ff9b::8.8.8.8",
        "2002:808:808::1",
        "2606:4700:4700::1111",
        "2a00:1450:4001::200e"
      })
  void isPublic(String text) {
    assertThat(NOTHING_OPENED.isPublic(InetAddress.ofLiteral(text))).isTrue();
  }

  @Test
  void whatTheOperatorOpensIsOpenInEveryForm() {
    CallableAddresses some =
        new CallableAddresses(
            Stream.of("10.2.0.0/15", "fd00::/8", "127.0.0.1").map(AddressRange::parse).toList());
    for (String text :
        List.of("10.1.255.255", "10.4.0.0", "127.0.0.2", "fc00::1", "::1", "169.254.169.254")) {
      assertThat(some.isOpened(InetAddress.ofLiteral(text))).as(text).isFalse();
    }
    for (String text :
        List.of("10.3.2.3", "::ffff:10.3.2.3", "64:ff9b::10.3.2.3", "fd12::1", "127.0.0.1")) {
      assertThat(some.isOpened(InetAddress.ofLiteral(text))).as(text).isTrue();
    }
  }

  @Test
  void aRangeIsOpenedWhereOneOfTheOperatorsHasAllOfIt() {
    CallableAddresses some =
        new CallableAddresses(
            Stream.of("10.2.0.0/15", "fd00::/8").map(AddressRange::parse).toList());
    for (String text : List.of("10.2.0.0/15", "10.3.0.0/16", "10.2.1.1/32", "fd12::/16")) {
      assertThat(some.covers(AddressRange.parse(text))).as(text).isTrue();
    }
    for (String text : List.of("10.2.0.0/14", "10.4.0.0/16", "0.0.0.0/0", "::/0", "fc00::/7")) {
      assertThat(some.covers(AddressRange.parse(text))).as(text).isFalse();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "localhost",
        "10.0.0.0/33",
        "10.0.0.0/-1",
        "10.0.0.0/x",
        "::/129",
        "10.0.0/8/9"
      })
  void refusesWhatIsNoRange(String text) {
    assertThatThrownBy(() -> AddressRange.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("such as 10.0.0.0/8");
  }
}
