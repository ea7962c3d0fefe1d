package dev.sandboxer.dataplane.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandboxer.dataplane.CallRefused;
import dev.sandboxer.dataplane.Connections;
import dev.sandboxer.dataplane.CopyFailed;
import dev.sandboxer.dataplane.Dataplane;
import dev.sandboxer.dataplane.archive.Packer;
import dev.sandboxer.dataplane.archive.Tally;
import dev.sandboxer.dataplane.archive.Unpacker;
import dev.sandboxer.dataplane.archive.UnsafeArchiveException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SandboxFoldersTest {
  @TempDir private Path top;

  private final Connections connections = new Connections();
  private FileServer server;
  private SandboxFolders folders;
  private Path folder;

  @BeforeEach
  void start() throws IOException {
    server = new FileServer();
    folders = new SandboxFolders(Dataplane.of(connections, server.base(), "t"));
    folder = top.resolve("from");
    Files.createDirectories(folder.resolve("sub"));
    Files.writeString(folder.resolve("sub/file"), "text");
    Files.createSymbolicLink(folder.resolve("out"), Path.of("/etc/passwd"));
  }

  @AfterEach
  void stop() {
    server.close();
    connections.close();
  }

  @Test
  void aFolderGoesUpWithoutWhatLeadsOut() throws Exception {
    server.answer(200, "{}");
    Tally tally = folders.upload(folder, "to", Progress.NONE);
    assertThat(tally).isEqualTo(new Tally(1, 4, List.of("out -> /etc/passwd"), 1));
    assertThat(server.calls())
        .containsExactly("POST /v1/files/upload?path=to&extract=tar&parents=true");
    Path there = Files.createDirectory(top.resolve("there"));
    var _ = new Unpacker(there, 100, 10).unpack(new ByteArrayInputStream(server.bytes()));
    assertThat(there.resolve("sub/file")).hasContent("text");
  }

  @Test
  void aFolderComesDownIntoOneThatIsMade() throws Exception {
    ByteArrayOutputStream tar = new ByteArrayOutputStream();
    var _ = new Packer().pack(folder, tar);
    server.answer(200, tar.toByteArray()).answer(200, tar.toByteArray());
    Tally tally = folders.download("from", top.resolve("new/to"), Progress.NONE);
    assertThat(tally).isEqualTo(new Tally(1, 4, List.of(), 0));
    assertThat(top.resolve("new/to/sub/file")).hasContent("text");
    ByteArrayOutputStream raw = new ByteArrayOutputStream();
    assertThat(folders.downloadTar("from", raw, Progress.NONE)).isEqualTo(tar.size());
    assertThat(raw.toByteArray()).isEqualTo(tar.toByteArray());
  }

  @Test
  void anArchiveThatLeadsOutIsAFailure() throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (TarArchiveOutputStream tar = new TarArchiveOutputStream(bytes)) {
      tar.putArchiveEntry(new TarArchiveEntry("../evil", true));
      tar.closeArchiveEntry();
    }
    server.answer(200, bytes.toByteArray());
    assertThatThrownBy(() -> folders.download("x", top.resolve("to"), Progress.NONE))
        .isInstanceOf(CopyFailed.class)
        .hasCauseInstanceOf(UnsafeArchiveException.class)
        .hasMessageContaining("leads out of the folder");
    assertThat(top.resolve("evil")).doesNotExist();
  }

  @Test
  void aFolderThatCannotBeReadAndARefusalAreToldApart() {
    server.answer(200, "{}").answer(507, "{\"error\":{\"code\":\"STORAGE_FULL\"}}");
    assertThatThrownBy(() -> folders.upload(top.resolve("none"), "to", Progress.NONE))
        .isInstanceOf(CopyFailed.class)
        .hasMessageContaining("none");
    assertThatThrownBy(() -> folders.upload(folder, "to", Progress.NONE))
        .isInstanceOf(CallRefused.class)
        .hasMessageContaining("STORAGE_FULL");
  }
}
