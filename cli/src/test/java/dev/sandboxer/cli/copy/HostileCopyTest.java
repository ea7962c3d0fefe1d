package dev.sandboxer.cli.copy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandboxer.cli.support.CommandLineRun;
import dev.sandboxer.cli.support.StandIn;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A sandbox that answers {@code cp} with what no honest one sends. */
class HostileCopyTest {
  private static final String FILES = "GET /dp/" + StandIn.ID + "/v1/files/";

  @TempDir private Path folder;

  private StandIn platform;

  @BeforeEach
  void start() throws IOException {
    platform = new StandIn();
  }

  @AfterEach
  void stop() throws IOException {
    platform.close();
  }

  private void there(String type, String more) {
    platform.next(
        FILES + "stat",
        StandIn.text(200, "{\"path\": \"/workspace/x\", \"type\": \"" + type + "\"" + more + "}"));
  }

  private void sends(byte[] bytes) {
    platform.next(FILES + "download", request -> request.response().end(Buffer.buffer(bytes)));
  }

  private CommandLineRun copy(String to, int code) {
    CommandLineRun copy = CommandLineRun.against(platform);
    assertThat(copy.run("cp", StandIn.ID + ":x", to)).as(copy.err()).isEqualTo(code);
    return copy;
  }

  private static TarArchiveEntry link(String name, String target) {
    TarArchiveEntry entry = new TarArchiveEntry(name, TarConstants.LF_SYMLINK);
    entry.setLinkName(target);
    return entry;
  }

  private static byte[] tar(TarArchiveEntry... entries) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (TarArchiveOutputStream tar = new TarArchiveOutputStream(bytes)) {
      for (TarArchiveEntry entry : entries) {
        boolean file = entry.isFile() && !entry.isSymbolicLink();
        if (file) {
          entry.setSize(4);
        }
        tar.putArchiveEntry(entry);
        if (file) {
          tar.write("evil".getBytes(StandardCharsets.US_ASCII));
        }
        tar.closeArchiveEntry();
      }
    }
    return bytes.toByteArray();
  }

  @Test
  void noNameLeadsOut() throws IOException {
    there("folder", "");
    sends(tar(new TarArchiveEntry("../out", true)));
    assertThat(copy(folder.resolve("in").toString(), 125).err())
        .contains("leads out of the folder");
    assertThat(folder.resolve("out")).doesNotExist();
  }

  @Test
  void noLinkLeadsOut() throws IOException {
    Path target = Files.createDirectory(folder.resolve("target"));
    there("folder", "");
    sends(tar(link("way", target.toString()), new TarArchiveEntry("way/f")));
    CommandLineRun copy = copy(folder.resolve("in").toString(), 0);
    assertThat(copy.err()).contains("1 left out", "way ->");
    assertThat(target).isEmptyDirectory();
    assertThat(folder.resolve("in/way/f")).isRegularFile();
  }

  @Test
  void namesAreShownWithoutControlCharacters() throws IOException {
    there("folder", "");
    sends(tar(link("a\u001b[2Jb", "/etc/passwd")));
    assertThat(copy(folder.resolve("in").toString(), 0).err())
        .contains("a\\u001b[2Jb")
        .doesNotContain("\u001b");
  }

  @Test
  void aFileThatBreaksOffLeavesTheOldOne() throws IOException {
    Path old = Files.writeString(folder.resolve("old"), "old");
    there("file", ", \"size_bytes\": 10");
    platform.next(
        FILES + "download",
        request -> {
          request.response().putHeader("Content-Length", "10");
          request.response().write("part").onComplete(_ -> request.connection().close());
        });
    copy(old.toString(), 125);
    assertThat(old).hasContent("old");
    try (var files = Files.list(folder)) {
      assertThat(files).as("no part is left").containsExactly(old);
    }
  }

  @Test
  void setuidAndOtherModesAreNotTaken() throws IOException {
    there("file", ", \"mode\": \"4755\"");
    sends("x".getBytes(StandardCharsets.US_ASCII));
    copy(folder.resolve("tool").toString(), 0);
    assertThat(Files.getAttribute(folder.resolve("tool"), "unix:mode", LinkOption.NOFOLLOW_LINKS))
        .asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.INTEGER)
        .matches(mode -> (mode & 07000) == 0 && (mode & 0100) != 0);
  }

  @Test
  void linksThatGoInCirclesEnd() {
    for (int i = 0; i < 20; i++) {
      there("link", ", \"link_target\": \"x\"");
    }
    assertThat(copy(folder.toString(), 125).err()).contains("leads through more than 16");
  }

  @Test
  void aRefusalIsToldWithItsCode() {
    platform.next(
        FILES + "stat", StandIn.problem(403, "FORBIDDEN", "may not \u001b[31m", new JsonObject()));
    assertThat(copy(folder.toString(), 125).err())
        .contains("may not \\u001b[31m (FORBIDDEN)")
        .doesNotContain("\u001b");
  }
}
