package dev.sandboxer.platform.installation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HomeTest {

  @TempDir Path folder;

  @Test
  void makesPrivateFolders() throws IOException {
    Home home = Home.open(Map.of("SANDBOXER_HOME", folder.resolve("a/b").toString())::get);
    assertThat(home.root()).isEqualTo(folder.resolve("a/b"));
    for (String name : new String[] {"", "run", "extensions", "profiles", "logs"}) {
      assertThat(mode(home.resolve(name))).isEqualTo("rwx------");
    }
  }

  @Test
  void takesTheUsersHomeWhereNoneIsChosen() {
    Home home = Home.open(Map.of("HOME", folder.toString())::get);
    assertThat(home.root()).isEqualTo(folder.resolve(".sandboxer"));
  }

  @Test
  void narrowsAHomeThatOthersCouldRead() throws IOException {
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    Home.open(folder);
    assertThat(mode(folder)).isEqualTo("rwx------");
  }

  @Test
  void refusesAFile() throws IOException {
    Path file = Files.createFile(folder.resolve("file"));
    assertThatThrownBy(() -> Home.open(file))
        .isInstanceOf(StartupException.class)
        .hasMessageContaining(file.toString())
        .hasMessageContaining("must be a folder");
  }

  @Test
  void refusesAnEnvironmentWithoutAnyHome() {
    assertThatThrownBy(() -> Home.open(Map.<String, String>of()::get))
        .isInstanceOf(StartupException.class)
        .hasMessageContaining("SANDBOXER_HOME");
  }

  @Test
  void writesPrivateFilesWhole() throws IOException {
    Home home = Home.open(folder);
    home.writePrivate("secret", new byte[] {1, 2});
    home.writePrivate("secret", new byte[] {3});
    assertThat(Files.readAllBytes(folder.resolve("secret"))).containsExactly(3);
    assertThat(mode(folder.resolve("secret"))).isEqualTo("rw-------");
  }

  private static String mode(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }
}
