package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.testing.client.Api;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Faults that only jails have: a foreign file in a jail's folder, a launcher that is killed. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class JailFaultsTest {

  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private final Backend backend = new NsjailBackend();
  private Path nsjail;
  private Platform platform;
  private Api api;

  @BeforeAll
  void start(@TempDir Path folder) throws IOException {
    nsjail = folder;
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    platform = Platform.start(Map.of("SANDBOXER_NSJAIL", waitingNsjail().toString()));
    api = platform.api();
  }

  /** The real nsjail, behind a script that waits as long as the file {@code hold} is there. */
  private Path waitingNsjail() throws IOException {
    Path real = Path.of(System.getenv("SANDBOXER_NSJAIL"));
    Path folder = real.resolveSibling("");
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : (Iterable<Path>) files.skip(1)::iterator) {
        Files.copy(file, nsjail.resolve(folder.relativize(file).toString()));
      }
    }
    Path script = nsjail.resolve("waiting");
    Files.writeString(
        script,
        """
        #!/bin/sh
        here=$(dirname "$0")
        while [ -e "$here/hold" ]; do sleep 0.05; done
        exec "$here/%s" "$@"
        """
            .formatted(real.getFileName()));
    return Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  @AfterEach
  void letGo() throws IOException {
    Files.deleteIfExists(nsjail.resolve("hold"));
  }

  @AfterAll
  void stop() {
    platform.close();
  }

  private Path folderOf(String id) throws IOException {
    try (Stream<Path> found =
        Files.find(
            platform.home().resolve("run"),
            2,
            (file, _) -> file.getFileName().toString().startsWith(id.substring(3) + "-"))) {
      return found.findFirst().orElseThrow();
    }
  }

  private void leavesNothing(String id) {
    await()
        .atMost(PATIENCE)
        .until(() -> api.get("/v1/sandboxes/" + id).field("/cleanup").equals("done"));
    assertThat(backend.objectsOf(id)).isEmpty();
    assertThat(backend.processesOf(id)).isEmpty();
    assertThat(platform.sandboxFolders()).noneMatch(name -> name.startsWith(id.substring(3)));
  }

  private JsonNode health() {
    for (JsonNode check : api.get("/v1/health/ready").json().path("checks")) {
      if (check.path("name").asText().equals("clean-up")) {
        return check;
      }
    }
    throw new AssertionError("no check of clean-up");
  }

  @Test
  void aForeignFileKeepsTheFolderOfAJailAndNothingElse() throws IOException {
    String id = api.ready().path("id").asText();
    var _ = api.access(id).exec("sh", "-c", "sleep 600 >/dev/null 2>&1 &");
    Path foreign = Files.writeString(folderOf(id).resolve("notes"), "x");
    assertThat(api.delete("/v1/sandboxes/" + id).status()).isIn(200, 202);
    await().atMost(Duration.ofSeconds(10)).until(() -> backend.processesOf(id).count() == 0);
    assertThat(backend.objectsOf(id)).isEmpty();

    List<String> reported = List.of("the jail has ended", foreign.toString());
    await().atMost(PATIENCE).until(() -> !health().path("ok").asBoolean());
    assertThat(health().path("detail").asText()).contains("1 failing; " + id).contains(reported);
    JsonNode events = api.get("/v1/sandboxes/" + id + "/events").json().path("items");
    JsonNode event = events.get(events.size() - 1);
    assertThat(event.path("type").asText()).isEqualTo("cleanup.failed");
    assertThat(event.at("/detail/attempt").asInt()).isEqualTo(1);
    assertThat(event.toString()).as("the tenant reads it").doesNotContain(foreign.toString());
    assertThat(platform.log().lines())
        .filteredOn(line -> line.contains("clean-up failed sandbox=" + id))
        .hasSizeGreaterThanOrEqualTo(2);
    assertThat(api.get("/v1/sandboxes/" + id).field("/state")).isEqualTo("destroying");
    assertThat(foreign).hasContent("x");

    Files.delete(foreign);
    await()
        .atMost(PATIENCE)
        .until(() -> api.get("/v1/sandboxes/" + id).field("/state").equals("destroyed"));
    leavesNothing(id);
    assertThat(health().path("ok").asBoolean()).isTrue();
    JsonNode all = api.get("/v1/sandboxes/" + id + "/events").json().path("items");
    assertThat(all.findValuesAsText("type")).containsOnlyOnce("cleanup.failed");
  }

  @Test
  void aLauncherThatIsKilledIsReplaced() throws IOException {
    Path hold = Files.createFile(nsjail.resolve("hold"));
    CompletableFuture<Api.Reply> created = CompletableFuture.supplyAsync(this::create);
    kill(launcher(0));
    Files.delete(hold);
    assertThat(created.join().status()).as(created.join().text()).isEqualTo(201);
    String id = created.join().field("/id");
    assertThat(api.access(id).exec("echo", "fine").field("/stdout")).isEqualTo("fine\n");
    assertThat(backend.objectsOf(id)).hasSize(1);
    assertThat(api.delete("/v1/sandboxes/" + id, "Prefer", "wait=60").field("/state"))
        .isEqualTo("destroyed");
    leavesNothing(id);
  }

  @Test
  void aLauncherThatIsKilledTwiceIsATypedFailure() throws IOException {
    Path hold = Files.createFile(nsjail.resolve("hold"));
    CompletableFuture<Api.Reply> created = CompletableFuture.supplyAsync(this::create);
    ProcessHandle first = launcher(0);
    kill(first);
    kill(launcher(first.pid()));
    Api.Reply reply = created.join();
    Files.delete(hold);
    assertThat(reply.status()).as(reply.text()).isEqualTo(503);
    assertThat(reply.code()).isEqualTo("UNAVAILABLE");
    assertThat(reply.field("/detail")).contains("launch was ended by signal 9");
    leavesNothing(reply.field("/sandbox_id"));
  }

  private Api.Reply create() {
    return api.post("/v1/sandboxes", Api.create("local"), "Prefer", "wait=60");
  }

  /** The launcher that waits for nsjail, once there is one beside another. */
  private ProcessHandle launcher(long other) {
    return await()
        .atMost(PATIENCE)
        .until(
            () ->
                platform
                    .process()
                    .children()
                    .filter(child -> child.pid() != other)
                    .filter(child -> commandLine(child).contains("launch"))
                    .filter(child -> child.children().findAny().isPresent())
                    .filter(_ -> Host.processes("/waiting", "--hostname").findAny().isPresent())
                    .findFirst()
                    .orElse(null),
            java.util.Objects::nonNull);
  }

  private static List<String> commandLine(ProcessHandle process) {
    return List.of(process.info().arguments().orElse(new String[0]));
  }

  private static void kill(ProcessHandle process) {
    process.destroyForcibly();
    await().atMost(PATIENCE).until(() -> !process.isAlive());
  }
}
