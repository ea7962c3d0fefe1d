package dev.sandboxer.platform.token;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.Provider;
import java.security.Security;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

class FasterEs256Test {
  private static final BigInteger HALF_ORDER =
      new BigInteger("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551", 16)
          .shiftRight(1);
  private static final byte[] INPUT = "header.claims".getBytes(StandardCharsets.US_ASCII);

  private final SigningKey key = SigningKey.generate(KeyState.CURRENT);
  private final Es256 jdk = new Es256();
  private final Es256 faster = new Es256();

  @Test
  @EnabledOnOs(
      value = OS.LINUX,
      architectures = {"amd64", "aarch64"})
  void isFoundOnLinux() {
    new FasterEs256(faster, getClass().getClassLoader()).find();
    assertThat(faster.computedBy()).isEqualTo("AmazonCorrettoCryptoProvider");
  }

  @Test
  void bothTakeEachOthersSignaturesAndMakeOnlyLowOnes() {
    new FasterEs256(faster, getClass().getClassLoader()).find();
    for (int i = 0; i < 100; i++) {
      byte[] signature = faster.sign(key.privateKey(), INPUT);
      assertThat(new BigInteger(1, signature, 32, 32)).isLessThanOrEqualTo(HALF_ORDER);
      assertThat(jdk.verify(key.publicKey(), INPUT, signature)).isTrue();
      assertThat(faster.verify(key.publicKey(), INPUT, jdk.sign(key.privateKey(), INPUT))).isTrue();
    }
  }

  @Test
  void aChangedByteIsNoticed() {
    new FasterEs256(faster, getClass().getClassLoader()).find();
    byte[] signature = faster.sign(key.privateKey(), INPUT);
    for (int i = 0; i < signature.length; i++) {
      byte[] changed = signature.clone();
      changed[i] ^= 1;
      assertThat(faster.verify(key.publicKey(), INPUT, changed)).isFalse();
    }
    SigningKey other = SigningKey.generate(KeyState.CURRENT);
    assertThat(faster.verify(other.publicKey(), INPUT, signature)).isFalse();
  }

  @Test
  void withoutTheLibraryTheJdkSigns() {
    new FasterEs256(faster, ClassLoader.getPlatformClassLoader()).find();
    assertThat(faster.computedBy()).isEqualTo(jdk.computedBy()).startsWith("Sun");
    assertThat(jdk.verify(key.publicKey(), INPUT, faster.sign(key.privateKey(), INPUT))).isTrue();
  }

  @Test
  void aProviderThatCannotSignIsNotTaken() {
    Provider cannot = Security.getProvider("SUN");
    assertThatThrownBy(() -> faster.take(cannot)).isInstanceOf(IllegalStateException.class);
    assertThat(faster.computedBy()).startsWith("Sun");
  }
}
