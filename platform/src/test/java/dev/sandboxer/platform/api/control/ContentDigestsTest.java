package dev.sandboxer.platform.api.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sandboxer.platform.testing.InProcess;
import dev.sandboxer.platform.testing.Restricted;
import dev.sandboxer.testing.client.Api;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** A folder is mounted by its content digest only while it holds what the digest says. */
@QuarkusTest
@TestProfile(Restricted.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ContentDigestsTest {

  private static final Path ROOT = Restricted.DIGESTS;

  /** Computed with langbot_plugin.artifact.build_tree_manifest of langbot-plugin 0.7.18. */
  private static final String PUBLISHED =
      "sha256:7082e3a215f9edd63c27ea77d613604221bb6320c2efae62a8c232bc7ff0336c";

  private static final String EMPTY =
      "sha256:8e00d1a31787e59c19fc53875e374237e940789d1de2f1bee5273985a41f4e79";

  private final Api api = InProcess.api();
  private final Path artefact = ROOT.resolve("artefact");
  private String profile = "";

  @BeforeAll
  void prepare() throws IOException {
    profile =
        InProcess.profile(
            """
            extension: ext.process
            best_effort: [uid, memory, pids, cpus, workspace, tmp, open_files]
            caller_mounts: {roots: [%s], modes: [rw], unlimited: true}
            """
                .formatted(ROOT));
  }

  @BeforeEach
  void publish() throws IOException {
    write("a.txt", "hello\n");
    write("a-b", "");
    write("a/deep/z", "z");
    write(".git/config", "c");
    write("q\"\n\u0001é", "x");
    write("\uff21", "x");
    write("\ud83d\ude00", "x");
    write("run.sh", "#!/bin/sh\n");
    Files.setPosixFilePermissions(
        artefact.resolve("run.sh"), PosixFilePermissions.fromString("rwxr-xr-x"));
    Files.createDirectories(artefact.resolve("empty"));
  }

  @AfterEach
  void remove() throws IOException {
    try (Stream<Path> paths = Files.walk(ROOT)) {
      for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }

  private void write(String name, String content) throws IOException {
    Path file = artefact.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, content);
  }

  /** An explanation checks all that a create checks, and makes nothing. */
  private Api.Reply explain(String digest) {
    String body =
        """
        {"profile": "%s", "consumer": {"actor": "adm", "project": "p"}, "mounts": [
          {"host_path": "%s", "mount_path": "/data", "content_digest": "%s"}]}"""
            .formatted(profile, artefact, digest);
    return api.post("/v1/routes/explain", body);
  }

  private void accepted() {
    Api.Reply reply = explain(PUBLISHED);
    assertThat(reply.status()).as(reply.text()).isEqualTo(200);
  }

  private String refused(String digest) {
    Api.Reply reply = explain(digest);
    assertThat(reply.status()).as(reply.text()).isEqualTo(400);
    assertThat(reply.code()).isEqualTo("VALIDATION");
    return reply.field("/detail");
  }

  private void changed() {
    assertThat(refused(PUBLISHED))
        .contains(
            artefact + " holds something else than its content_digest says: wanted " + PUBLISHED)
        .containsPattern("found sha256:[0-9a-f]{64}$")
        .doesNotContain("found " + PUBLISHED);
  }

  @Test
  void theDigestIsThatOfThePublishedTool() throws IOException {
    accepted();
    assertThat(refused(EMPTY)).contains("wanted " + EMPTY + ", found " + PUBLISHED);
    remove();
    Files.createDirectories(artefact.resolve("empty/still"));
    assertThat(explain(EMPTY).status()).isEqualTo(200);
  }

  @Test
  void eachChangeIsSeen() throws IOException {
    accepted();
    write("a.txt", "hellO\n");
    changed();
    write("a.txt", "hello\n");
    accepted();
    Files.move(artefact.resolve("a.txt"), artefact.resolve("b.txt"));
    changed();
    Files.move(artefact.resolve("b.txt"), artefact.resolve("a.txt"));
    accepted();
    write("more", "");
    changed();
    Files.delete(artefact.resolve("more"));
    Files.setPosixFilePermissions(
        artefact.resolve("a.txt"), PosixFilePermissions.fromString("rw-r--r-x"));
    changed();
  }

  /** The platform remembers what it has read once the folder has not changed for a while. */
  @Test
  void aChangeIsSeenAlsoWhereItIsHidden() throws IOException {
    Path file = artefact.resolve("a.txt");
    FileTime written = Files.getLastModifiedTime(file);
    await().atMost(Duration.ofSeconds(30)).until(() -> settled(file));
    accepted();
    accepted();
    write("a.txt", "hellO\n");
    Files.setLastModifiedTime(file, written);
    changed();
  }

  private static boolean settled(Path file) throws IOException {
    FileTime changed = (FileTime) Files.getAttribute(file, "unix:ctime", LinkOption.NOFOLLOW_LINKS);
    return changed.toInstant().isBefore(Instant.now().minusSeconds(3));
  }

  @Test
  void whatADigestDoesNotCoverIsRefused() throws IOException, InterruptedException {
    Path link = Files.createSymbolicLink(artefact.resolve("a/link"), Path.of("/etc/passwd"));
    assertThat(refused(PUBLISHED)).contains(link + " is no file and no folder");
    Files.delete(link);
    Path folder = Files.createSymbolicLink(artefact.resolve("a/folder"), Path.of("deep"));
    assertThat(refused(PUBLISHED)).contains(folder + " is no file and no folder");
    Files.delete(folder);
    Path pipe = artefact.resolve("a/pipe");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    assertThat(refused(PUBLISHED)).contains(pipe + " is no file and no folder");
    Files.delete(pipe);
    write("back\\slash", "");
    assertThat(refused(PUBLISHED)).contains("has a name that a content digest does not cover");
    Files.delete(artefact.resolve("back\\slash"));
    assertThat(
            new ProcessBuilder("bash", "-c", "touch $'%s/bad\\xff'".formatted(artefact))
                .start()
                .waitFor())
        .isZero();
    assertThat(refused(PUBLISHED)).contains("has a name that a content digest does not cover");
  }

  @Test
  void thereAreLimits() throws IOException {
    try (var sparse = new java.io.RandomAccessFile(artefact.resolve("big").toFile(), "rw")) {
      sparse.setLength((1L << 30) + 1);
    }
    assertThat(refused(PUBLISHED)).contains("has more than 1073741824 bytes");
    Files.delete(artefact.resolve("big"));
    Path many = Files.createDirectories(artefact.resolve("many"));
    IntStream.range(0, 10_001)
        .forEach(i -> assertThat(many.resolve("f" + i).toFile().mkdir()).isTrue());
    assertThat(refused(PUBLISHED)).contains("has more than 10000 files and folders");
  }
}
