package dev.sandboxer.dataplane.archive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class UnpackerTest {
  @TempDir private Path top;
  private Path target;
  private Path outside;
  private final ByteArrayOutputStream archive = new ByteArrayOutputStream();
  private TarArchiveOutputStream tar;

  @BeforeEach
  void folders() throws IOException {
    target = Files.createDirectory(top.resolve("target"));
    outside = Files.createDirectory(top.resolve("outside"));
    Files.writeString(outside.resolve("secret"), "secret");
    tar = new TarArchiveOutputStream(archive, "UTF-8");
    tar.setLongFileMode(TarArchiveOutputStream.LONGFILE_POSIX);
  }

  @Test
  void unpacksFilesFoldersAndInnerLinks() throws IOException {
    folder("./");
    folder("a/b/");
    file("a/b/run.sh", "#!/bin/sh", 0755);
    link("a/latest", "b/run.sh");
    link("up", "a/b/../b"); // `..` after a name: left out
    Tally tally = unpack();
    assertThat(target.resolve("a/b/run.sh")).hasContent("#!/bin/sh").isExecutable();
    assertThat(target.resolve("a/latest")).isSymbolicLink().hasContent("#!/bin/sh");
    assertThat(tally.files()).isEqualTo(2);
    assertThat(tally.skipped()).containsExactly("up -> a/b/../b");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"../evil", "a/../../evil", "a/..", "/etc/evil", "//evil", "..", "a/./../../evil"})
  void refusesNamesThatLeadOut(String name) throws IOException {
    tar.putArchiveEntry(new TarArchiveEntry(name, true));
    tar.closeArchiveEntry();
    assertThatThrownBy(this::unpack)
        .isInstanceOf(UnsafeArchiveException.class)
        .hasMessageContaining("leads out");
    assertThat(top.resolve("evil")).doesNotExist();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"/etc/passwd", "../outside", "a/../../outside", ".././../outside", "x/..", ""})
  void leavesOutLinksThatLeadOut(String to) throws IOException {
    link("way", to);
    assertThat(unpack().skippedCount()).isEqualTo(1);
    assertThat(Files.exists(target.resolve("way"), LinkOption.NOFOLLOW_LINKS)).isFalse();
  }

  @Test
  void aChainOfInnerLinksCannotClimbOut() throws IOException {
    folder("deep/");
    link("here", ".");
    link("deep/here", "..");
    link("out", "here/here/../../outside");
    link("deep/out", "../../outside");
    assertThat(unpack().skippedCount()).isEqualTo(2);
    assertThat(target.resolve("deep/here").toRealPath()).isEqualTo(target.toRealPath());
  }

  @Test
  void neverWritesThroughALinkOfTheArchive() throws IOException {
    link("a", "b");
    folder("b/");
    file("a/x", "through", 0644);
    unpack();
    assertThat(target.resolve("b/x")).doesNotExist();
    assertThat(target.resolve("a/x")).hasContent("through");
    assertThat(Files.isSymbolicLink(target.resolve("a"))).isFalse();
  }

  @ParameterizedTest
  @CsvSource({"way/secret, folder", "way, folder", "way, file"})
  void neverWritesThroughALinkThatWasThere(String name, String kind) throws IOException {
    Files.createSymbolicLink(
        target.resolve("way"), kind.equals("folder") ? outside : outside.resolve("secret"));
    file(name, "overwritten", 0644);
    unpack();
    assertThat(outside.resolve("secret")).hasContent("secret");
    assertThat(Files.isSymbolicLink(target.resolve("way"))).isFalse();
  }

  @Test
  void dropsSetuidAndOwner() throws IOException {
    file("su", "x", 06755);
    unpack();
    assertThat((Integer) Files.getAttribute(target.resolve("su"), "unix:mode") & 07000).isZero();
    assertThat(Files.getPosixFilePermissions(target.resolve("su")))
        .contains(PosixFilePermission.OWNER_EXECUTE);
  }

  @ParameterizedTest
  @ValueSource(bytes = {TarConstants.LF_CHR, TarConstants.LF_BLK, TarConstants.LF_FIFO, (byte) 'Z'})
  void leavesOutDevicesPipesAndTheUnknown(byte type) throws IOException {
    tar.putArchiveEntry(new TarArchiveEntry("node", type));
    tar.closeArchiveEntry();
    assertThat(unpack().skipped()).containsExactly("node");
    assertThat(target.resolve("node")).doesNotExist();
  }

  @Test
  void aHardLinkIsACopyOfWhatTheArchiveBrought() throws IOException {
    file("one", "same", 0644);
    hardLink("two", "one");
    unpack();
    assertThat(target.resolve("two")).hasContent("same");
    assertThat(Files.getAttribute(target.resolve("one"), "unix:nlink")).isEqualTo(1);
  }

  @Test
  void aHardLinkReachesNothingElse() throws IOException {
    Files.createSymbolicLink(target.resolve("way"), outside);
    Files.createSymbolicLink(target.resolve("file"), outside.resolve("secret"));
    hardLink("a", "way/secret");
    hardLink("b", "file");
    hardLink("c", "missing");
    hardLink("d", "d");
    assertThat(unpack().skippedCount()).isEqualTo(4);
    assertThat(target.resolve("a")).doesNotExist();
    assertThat(target.resolve("b")).doesNotExist();
  }

  @Test
  void aHardLinkThatClimbsIsRefused() throws IOException {
    hardLink("a", "../outside/secret");
    assertThatThrownBy(this::unpack).isInstanceOf(UnsafeArchiveException.class);
  }

  @Test
  void stopsAtTheLimits() throws IOException {
    file("big", "x".repeat(2000), 0644);
    assertThatThrownBy(() -> unpack(1000, 10))
        .isInstanceOf(UnsafeArchiveException.class)
        .hasMessageContaining("1000 bytes");
    tar = new TarArchiveOutputStream(archive, "UTF-8");
    archive.reset();
    for (int n = 0; n < 11; n++) {
      file("f" + n, "", 0644);
    }
    assertThatThrownBy(() -> unpack(1000, 10))
        .isInstanceOf(UnsafeArchiveException.class)
        .hasMessageContaining("10 files");
  }

  @Test
  void copiesByHardLinkCountAgainstTheLimit() throws IOException {
    file("one", "x".repeat(600), 0644);
    hardLink("two", "one");
    assertThatThrownBy(() -> unpack(1000, 10)).isInstanceOf(UnsafeArchiveException.class);
  }

  @Test
  void anArchiveThatEndsEarlyIsAnError() throws IOException {
    file("big", "x".repeat(5000), 0644);
    tar.finish();
    byte[] half = java.util.Arrays.copyOf(archive.toByteArray(), 2000);
    assertThatThrownBy(
            () -> new Unpacker(target, 1 << 20, 10).unpack(new ByteArrayInputStream(half)))
        .isInstanceOf(IOException.class);
  }

  @Test
  void noiseIsAnError() {
    byte[] noise = new byte[4096];
    new java.util.Random(7).nextBytes(noise);
    assertThatThrownBy(
            () -> new Unpacker(target, 1 << 20, 10).unpack(new ByteArrayInputStream(noise)))
        .isInstanceOf(IOException.class);
  }

  @Test
  void packingAndUnpackingGivesTheSame() throws IOException {
    Path source = Files.createDirectories(top.resolve("source/ünï/" + "long".repeat(40)));
    Files.writeString(source.resolve("héllo"), "text");
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    Tally in = new Packer().pack(top.resolve("source"), packed);
    Tally out =
        new Unpacker(target, 1 << 20, 100).unpack(new ByteArrayInputStream(packed.toByteArray()));
    assertThat(out).isEqualTo(in);
    assertThat(target.resolve(top.resolve("source").relativize(source)).resolve("héllo"))
        .hasContent("text");
  }

  private void folder(String name) throws IOException {
    tar.putArchiveEntry(new TarArchiveEntry(name));
    tar.closeArchiveEntry();
  }

  private void file(String name, String contents, int mode) throws IOException {
    byte[] bytes = contents.getBytes(StandardCharsets.UTF_8);
    TarArchiveEntry entry = new TarArchiveEntry(name);
    entry.setMode(mode);
    entry.setSize(bytes.length);
    tar.putArchiveEntry(entry);
    tar.write(bytes);
    tar.closeArchiveEntry();
  }

  private void link(String name, String to) throws IOException {
    linked(name, to, TarConstants.LF_SYMLINK);
  }

  private void hardLink(String name, String to) throws IOException {
    linked(name, to, TarConstants.LF_LINK);
  }

  private void linked(String name, String to, byte type) throws IOException {
    TarArchiveEntry entry = new TarArchiveEntry(name, type);
    entry.setLinkName(to);
    tar.putArchiveEntry(entry);
    tar.closeArchiveEntry();
  }

  private Tally unpack() throws IOException {
    return unpack(1 << 20, 100);
  }

  private Tally unpack(long bytes, int entries) throws IOException {
    tar.finish();
    return new Unpacker(target, bytes, entries)
        .unpack(new ByteArrayInputStream(archive.toByteArray()));
  }
}
