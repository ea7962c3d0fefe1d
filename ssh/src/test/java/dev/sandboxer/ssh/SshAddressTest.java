package dev.sandboxer.ssh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SshAddressTest {

  @Test
  void partsAreRead() throws SshException {
    assertThat(SshAddress.parse("ssh://build-1"))
        .isEqualTo(new SshAddress(Optional.empty(), "build-1", 22));
    assertThat(SshAddress.parse("ssh://ann@build.example.org:2222"))
        .isEqualTo(new SshAddress(Optional.of("ann"), "build.example.org", 2222));
    assertThat(SshAddress.parse("ssh://ann@[fe80::1]:22/"))
        .isEqualTo(new SshAddress(Optional.of("ann"), "fe80::1", 22));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "build-1",
        "tcp://build-1",
        "ssh://",
        "ssh://@build-1",
        "ssh://ann@",
        "ssh://-oProxyCommand=x",
        "ssh://a b@build-1",
        "ssh://build-1:0",
        "ssh://build-1:65536",
        "ssh://build-1:x",
        "ssh://build-1/path",
        "ssh://build-1?query",
        "ssh://[build-1]",
        "ssh://build-1\nssh://build-2"
      })
  void anythingElseIsRefusedWithTheForm(String text) {
    assertThatThrownBy(() -> SshAddress.parse(text))
        .isInstanceOf(SshException.class)
        .hasMessageContaining("ssh://[user@]host[:port]");
  }

  @Test
  void aPasswordIsRefusedAndNotRepeated() {
    assertThatThrownBy(() -> SshAddress.parse("ssh://ann:secret@build-1"))
        .hasMessageContaining("password")
        .satisfies(e -> assertThat(e.getMessage()).doesNotContain("secret"));
  }
}
