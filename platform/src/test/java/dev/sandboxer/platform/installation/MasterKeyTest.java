package dev.sandboxer.platform.installation;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandboxer.spi.SandboxIdentity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MasterKeyTest {

  private static final String INSTALLATION = "0f0e0d0c-0b0a-0908-0706-050403020100";
  private static final SandboxIdentity IDENTITY =
      new SandboxIdentity(INSTALLATION, "abcdefghij0123456789", 1, 12);

  @TempDir Path folder;
  private Home home;

  @BeforeEach
  void open() {
    home = Home.open(folder);
  }

  @Test
  void keepsASecretOverRestarts() throws IOException {
    byte[] sealed = key().seal("sandbox/a/env", "hidden".getBytes(UTF_8));
    assertThat(new String(sealed, UTF_8)).doesNotContain("hidden");
    assertThat(key().unseal("sandbox/a/env", sealed)).asString().isEqualTo("hidden");
    assertThat(Files.readAllBytes(folder.resolve("master.key"))).hasSize(32);
    assertThat(
            PosixFilePermissions.toString(
                Files.getPosixFilePermissions(folder.resolve("master.key"))))
        .isEqualTo("rw-------");
  }

  @Test
  void sealsTheSameTextDifferentlyEachTime() {
    byte[] plain = {1, 2, 3};
    assertThat(key().seal("row", plain)).isNotEqualTo(key().seal("row", plain));
  }

  @Test
  void derivesTheSameSecretForAUseOverRestartsAndAnotherForAnother() {
    assertThat(key().derive("use")).hasSize(32).isEqualTo(key().derive("use"));
    assertThat(key().derive("use")).isNotEqualTo(key().derive("other"));
  }

  @Test
  void refusesAnotherRowAnotherKeyAndChangedBytes() throws IOException {
    byte[] sealed = key().seal("row/1", new byte[] {1});
    assertThatThrownBy(() -> key().unseal("row/2", sealed))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("row/2");
    for (int i = 0; i < sealed.length; i++) {
      byte[] changed = sealed.clone();
      changed[i] ^= 1;
      assertThatThrownBy(() -> key().unseal("row/1", changed))
          .isInstanceOf(IllegalStateException.class);
    }
    assertThatThrownBy(() -> key().unseal("row/1", new byte[3]))
        .isInstanceOf(IllegalStateException.class);
    Files.delete(folder.resolve("master.key"));
    assertThatThrownBy(() -> key().unseal("row/1", sealed))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void signsEveryPartOfAnIdentity() {
    IdentitySigner signer = key().identitySigner();
    String signature = signer.sign(IDENTITY);
    assertThat(signature).matches("[0-9a-f]{64}");
    assertThat(signer.verify(IDENTITY, signature)).isTrue();
    assertThat(signer.verify(with("abcdefghij0123456788", 1, 12), signature)).isFalse();
    assertThat(signer.verify(with("abcdefghij0123456789", 11, 2), signature)).isFalse();
    assertThat(signer.verify(with("abcdefghij0123456789", 2, 12), signature)).isFalse();
    assertThat(signer.verify(IDENTITY, signature.toUpperCase(java.util.Locale.ROOT))).isFalse();
    assertThat(signer.verify(IDENTITY, "")).isFalse();
  }

  @Test
  void refusesAKeyThatOthersMayRead() throws IOException {
    key();
    Files.setPosixFilePermissions(
        folder.resolve("master.key"), PosixFilePermissions.fromString("rw-r-----"));
    assertThatThrownBy(this::key).hasMessageContaining("chmod 600");
  }

  @Test
  void refusesAKeyOfAnotherLength() throws IOException {
    home.writePrivate("master.key", new byte[31]);
    assertThatThrownBy(this::key).hasMessageContaining("31 bytes");
  }

  @Test
  void makesNoNewKeyForAUsedHome() throws IOException {
    Files.writeString(folder.resolve("installation"), INSTALLATION + " 1\n");
    assertThatThrownBy(this::key)
        .isInstanceOf(StartupException.class)
        .hasMessageContaining("restore the file");
  }

  @Test
  void makesNoKeyWhereTheOperatorNamedAFile() {
    Map<String, String> environment = Map.of("SANDBOXER_MASTER_KEY_FILE", "/does/not/exist");
    Settings settings = Settings.load(home, environment::get);
    assertThatThrownBy(() -> MasterKey.open(home, settings))
        .hasMessageContaining("SANDBOXER_MASTER_KEY_FILE=/does/not/exist");
  }

  private static SandboxIdentity with(String sandbox, int generation, int attempt) {
    return new SandboxIdentity(INSTALLATION, sandbox, generation, attempt);
  }

  private MasterKey key() {
    return MasterKey.open(home, Settings.load(home, Map.<String, String>of()::get));
  }
}
