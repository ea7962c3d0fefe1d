package dev.sandboxer.ssh.host;

import static dev.sandboxer.ssh.host.Machine.failing;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sandboxer.ssh.SshException.Kind;
import dev.sandboxer.testing.SshServer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FilesTest {

  @TempDir private static Path shared;
  private static Machine machine;
  @TempDir private Path folder;
  private Path remote;
  private RemoteFiles files;

  @BeforeAll
  static void start() throws IOException {
    machine = new Machine(shared.resolve("main"));
  }

  @AfterAll
  static void stop() {
    machine.close();
  }

  @BeforeEach
  void prepare() throws IOException {
    remote = folder.toRealPath().resolve("remote");
    files = machine.host.files();
    files.makeFolder(remote.toString(), new OpenCall());
  }

  @Test
  void anArchiveBecomesAFolderAtOnce() throws IOException {
    files.unpack(
        new ByteArrayInputStream(archive(1000, 2000)), remote.toString(), "p", new OpenCall());
    try (Stream<Path> all = Files.list(remote.resolve("p"))) {
      assertThat(all).hasSize(1000);
    }
    assertThat(
            failing(
                Kind.FILE,
                () ->
                    files.unpack(
                        new ByteArrayInputStream(archive(1, 1)),
                        remote.toString(),
                        "p",
                        new OpenCall())))
        .hasMessageContaining("there already");
  }

  @Test
  void halfAnArchiveLeavesNothing() throws IOException {
    byte[] whole = archive(10, 100_000);
    InputStream half = new ByteArrayInputStream(whole, 0, whole.length / 2);
    failing(Kind.FILE, () -> files.unpack(half, remote.toString(), "p", new OpenCall()));
    assertThat(remote).isEmptyDirectory();
  }

  @Test
  void aFileIsCopiedAndReplaced() throws IOException {
    for (int size : new int[] {0, 1, 65_536, 5_000_000}) {
      Path source = random(size);
      files.upload(source, remote.toString(), "big", new OpenCall());
      assertThat(remote.resolve("big")).hasSameBinaryContentAs(source);
    }
    try (Stream<Path> all = Files.list(remote)) {
      assertThat(all).hasSize(1);
    }
  }

  @Test
  void aCopyGoesOnWhereALostConnectionEndedIt() throws Exception {
    Path source = random(60_000_000);
    machine.out("true");
    long logins = machine.server.logins();
    long session = machine.session();
    Thread killer =
        Thread.ofVirtual()
            .start(
                () -> {
                  org.awaitility.Awaitility.await()
                      .pollInterval(java.time.Duration.ofMillis(2))
                      .until(() -> bytes() > 2_000_000);
                  ProcessHandle.of(session).ifPresent(ProcessHandle::destroyForcibly);
                });
    files.upload(source, remote.toString(), "big", new OpenCall());
    killer.join();
    assertThat(machine.server.logins()).isEqualTo(logins + 1);
    assertThat(remote.resolve("big")).hasSameBinaryContentAs(source);
  }

  private long bytes() throws IOException {
    try (Stream<Path> all = Files.list(remote)) {
      return all.mapToLong(file -> file.toFile().length()).sum();
    }
  }

  @Test
  void removingDoesNotFollowLinks() throws IOException {
    Path kept = Files.createDirectories(folder.resolve("kept"));
    Files.writeString(kept.resolve("file"), "kept");
    Files.createDirectories(remote.resolve("p/sub"));
    Files.createSymbolicLink(remote.resolve("p/link"), kept);
    Files.createSymbolicLink(remote.resolve("q"), kept);
    files.remove(remote.toString(), "p", new OpenCall());
    files.remove(remote.toString(), "q", new OpenCall());
    files.remove(remote.toString(), "q", new OpenCall());
    assertThat(remote).isEmptyDirectory();
    assertThat(kept.resolve("file")).exists();
    files.remove(folder.resolve("nothing").toString(), "q", new OpenCall());
  }

  @Test
  void aFolderThatWasReplacedByALinkIsNotTouched() throws IOException {
    Path kept = Files.createDirectories(folder.resolve("kept"));
    Files.writeString(kept.resolve("p"), "kept");
    Files.delete(remote);
    Files.createSymbolicLink(remote, kept);
    assertThat(failing(Kind.FILE, () -> files.remove(remote.toString(), "p", new OpenCall())))
        .hasMessageContaining("link");
    failing(
        Kind.FILE,
        () -> files.unpack(InputStream.nullInputStream(), remote.toString(), "n", new OpenCall()));
    failing(Kind.FILE, () -> files.upload(random(10), remote.toString(), "n", new OpenCall()));
    assertThat(kept).isDirectoryNotContaining(file -> !file.endsWith("p"));
    failing(Kind.INVALID, () -> files.remove(kept.toString(), "../kept", new OpenCall()));
    failing(Kind.INVALID, () -> files.remove(kept + "/../kept", "p", new OpenCall()));
  }

  @Test
  void aFullDiskIsNamed() throws Exception {
    assumeTrue("root".equals(SshServer.user()), "only root can mount a small disk");
    Path disk = Files.createDirectories(folder.toRealPath().resolve("disk"));
    // The server has mounts of its own.
    machine.out("mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", disk.toString());
    try {
      assertThat(
              failing(
                  Kind.DISK_FULL,
                  () -> files.upload(random(8_000_000), disk.toString(), "big", new OpenCall())))
          .hasMessageEndingWith(": 0 of 4 MiB are free");
      files.remove(disk.toString(), "big", new OpenCall());
      machine.out("sh", "-c", "rm -f \"$0\"/*.part", disk.toString());
      byte[] much = archive(1, 8_000_000);
      failing(
          Kind.DISK_FULL,
          () -> files.unpack(new ByteArrayInputStream(much), disk.toString(), "p", new OpenCall()));
      assertThat(machine.out("ls", "-A", disk.toString())).isEmpty();
    } finally {
      machine.out("umount", disk.toString());
    }
  }

  private Path random(int size) throws IOException {
    byte[] bytes = new byte[size];
    new Random(size).nextBytes(bytes);
    return Files.write(folder.resolve("random"), bytes);
  }

  private byte[] archive(int count, int size) throws IOException {
    Path source = Files.createDirectories(folder.resolve("source" + count));
    for (int i = 0; i < count; i++) {
      Files.write(source.resolve("f" + i), new byte[size]);
    }
    Process tar = new ProcessBuilder("tar", "-c", "-C", source.toString(), ".").start();
    return tar.getInputStream().readAllBytes();
  }
}
