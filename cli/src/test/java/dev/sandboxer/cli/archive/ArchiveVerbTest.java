package dev.sandboxer.cli.archive;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sandboxer.cli.support.CommandLineRun;
import dev.sandboxer.cli.support.StandIn;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.zip.GZIPInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ArchiveVerbTest {
  private static final String DIGEST = "sha256:" + "ab".repeat(32);

  @TempDir private Path folder;
  private final List<byte[]> bodies = new CopyOnWriteArrayList<>();
  private final List<String> queries = new CopyOnWriteArrayList<>();
  private StandIn platform;

  @BeforeEach
  void start() throws IOException {
    platform = new StandIn();
  }

  @AfterEach
  void stop() throws IOException {
    platform.close();
  }

  private CommandLineRun added(String... words) {
    platform.next(
        "POST /v1/archives",
        request -> {
          queries.add(request.query());
          request
              .body()
              .onSuccess(
                  body -> {
                    bodies.add(body.getBytes());
                    request
                        .response()
                        .setStatusCode(201)
                        .end(archive(digest(body.getBytes())).encode());
                  });
        });
    CommandLineRun run = CommandLineRun.against(platform);
    String[] all = new String[words.length + 2];
    System.arraycopy(new String[] {"archive", "add"}, 0, all, 0, 2);
    System.arraycopy(words, 0, all, 2, words.length);
    assertThat(run.run(all)).as(run.err()).isZero();
    return run;
  }

  private static JsonObject archive(String digest) {
    return new JsonObject()
        .put("digest", digest)
        .put("size_bytes", 2048)
        .put("in_use", true)
        .put("created_at", "2100-01-01T00:00:00Z");
  }

  private static String digest(byte[] bytes) {
    try {
      return "sha256:"
          + HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (java.security.NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void aFileIsSentAsItIs() throws IOException {
    Path file = Files.writeString(folder.resolve("project.tar"), "bytes");
    CommandLineRun run = added(file.toString());
    assertThat(bodies.getFirst()).isEqualTo("bytes".getBytes(UTF_8));
    assertThat(run.out()).isEqualTo(digest(bodies.getFirst()) + "\n");
    assertThat(queries).containsExactly("digest=" + digest(bodies.getFirst()));
    JsonObject json = new JsonObject(added("--json", file.toString()).out());
    assertThat(json.getString("digest")).isEqualTo(digest(bodies.getFirst()));
  }

  @Test
  void aFolderIsPacked() throws IOException {
    Path project = Files.createDirectories(folder.resolve("app/tests"));
    Files.writeString(project.resolve("run.sh"), "true");
    Files.writeString(project.resolveSibling("compose.yaml"), "services");
    Files.createSymbolicLink(project.resolve("out"), Path.of("/etc/passwd"));
    CommandLineRun run = added(folder.resolve("app").toString());
    assertThat(run.out()).isEqualTo(digest(bodies.getFirst()) + "\n");
    assertThat(run.err())
        .isEqualTo("packed 12 B, files and links: 2\nleft out: tests/out -> /etc/passwd\n");
    List<String> entries = new ArrayList<>();
    try (TarArchiveInputStream tar =
        new TarArchiveInputStream(
            new GZIPInputStream(new ByteArrayInputStream(bodies.getFirst())))) {
      for (TarArchiveEntry one = tar.getNextEntry(); one != null; one = tar.getNextEntry()) {
        entries.add(one.getName() + "=" + new String(tar.readAllBytes(), UTF_8));
      }
    }
    assertThat(entries)
        .containsExactlyInAnyOrder("compose.yaml=services", "tests/=", "tests/run.sh=true");
  }

  @Test
  void whatCannotBeSent() throws IOException {
    Path large = folder.resolve("large.tar");
    try (RandomAccessFile file = new RandomAccessFile(large.toFile(), "rw")) {
      file.setLength((64L << 20) + 1);
    }
    CommandLineRun run = CommandLineRun.against(platform);
    assertThat(run.run("archive", "add", large.toString())).isNotZero();
    assertThat(run.err()).contains("an archive has at most 64 MiB");
    CommandLineRun absent = CommandLineRun.against(platform);
    assertThat(absent.run("archive", "add", folder.resolve("absent").toString())).isNotZero();
    assertThat(absent.err()).contains("there is no file", "absent");
    assertThat(platform.calls).isEmpty();
  }

  @Test
  void archivesAreATable() {
    JsonObject page = new JsonObject().put("items", new JsonArray(List.of(archive(DIGEST))));
    for (int call = 0; call < 2; call++) {
      platform.next("GET /v1/archives", StandIn.text(200, page.encode()));
    }
    CommandLineRun run = CommandLineRun.against(platform);
    assertThat(run.run("archive", "ls")).as(run.err()).isZero();
    assertThat(run.out().lines().map(line -> line.replaceAll(" +", " ")))
        .containsExactly("DIGEST SIZE IN USE AGE", DIGEST + " 2.0 KiB yes -");
    CommandLineRun digests = CommandLineRun.against(platform);
    assertThat(digests.run("archive", "ls", "-q")).isZero();
    assertThat(digests.out()).isEqualTo(DIGEST + "\n");
  }

  @Test
  void oneThatStaysDoesNotKeepTheOthers() {
    String used = "sha256:" + "cd".repeat(32);
    platform.next(
        "DELETE /v1/archives/" + used,
        StandIn.problem(409, "INVALID_STATE", "sandbox sb_a has it", new JsonObject()));
    platform.next("DELETE /v1/archives/" + DIGEST, StandIn.text(204, ""));
    CommandLineRun run = CommandLineRun.against(platform);
    assertThat(run.run("archive", "rm", used, DIGEST)).isNotZero();
    assertThat(run.out()).isEqualTo(DIGEST + " removed\n");
    assertThat(run.err()).contains("sandbox sb_a has it");
  }

  @ParameterizedTest
  @ValueSource(strings = {"x", "sha256:x", "../volumes/data"})
  void aDigestThatIsNone(String digest) {
    CommandLineRun run = CommandLineRun.against(platform);
    assertThat(run.run("archive", "rm", digest)).isNotZero();
    assertThat(run.err()).contains("is no archive's digest");
    assertThat(platform.calls).isEmpty();
  }
}
