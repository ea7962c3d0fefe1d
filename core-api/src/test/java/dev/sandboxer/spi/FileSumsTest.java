package dev.sandboxer.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileSumsTest {

  private static final String OF_NOTHING =
      "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
  private static final String OF_ABC =
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

  @TempDir private Path folder;

  @Test
  void aFileIsReadAgainOnceItHasChanged() throws IOException {
    FileSums sums = new FileSums();
    Path file = Files.createFile(folder.resolve("boxd"));
    FileTime then = FileTime.fromMillis(1_000_000);
    Files.setLastModifiedTime(file, then);
    assertThat(sums.sha256(file)).isEqualTo(OF_NOTHING);
    Files.writeString(file, "abc");
    Files.setLastModifiedTime(file, then);
    assertThat(sums.sha256(file)).as("not read again").isEqualTo(OF_NOTHING);
    Files.setLastModifiedTime(file, FileTime.fromMillis(2_000_000));
    assertThat(sums.sha256(file)).isEqualTo(OF_ABC);
    Files.delete(file);
    assertThatThrownBy(() -> sums.sha256(file)).isInstanceOf(IOException.class);
  }

  @Test
  void anIdentityIsReadFromItsNameAndFromNoOther() {
    SandboxIdentity identity =
        new SandboxIdentity("5f0f8a52-4c5e-4e0a-9f5e-0123456789ab", "k3v9a0q7x2m5n8b1c4d6", 3, 2);
    assertThat(SandboxIdentity.ofName(identity.installation(), identity.name())).contains(identity);
    for (String name :
        new String[] {
          "",
          "web",
          "k3v9a0q7x2m5n8b1c4d6-3",
          "k3v9a0q7x2m5n8b1c4d6-0-1",
          "a-1-1",
          "k3v9a0q7x2m5n8b1c4d6-3-2-1",
          "k3v9a0q7x2m5n8b1c4d6-3-x"
        }) {
      assertThat(SandboxIdentity.ofName(identity.installation(), name)).as(name).isEmpty();
    }
    assertThat(SandboxIdentity.ofName("another", identity.name())).isEmpty();
  }
}
