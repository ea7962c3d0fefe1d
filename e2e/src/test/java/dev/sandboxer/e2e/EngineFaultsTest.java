package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sandboxer.e2e.FaultyEngine.When;
import dev.sandboxer.testing.client.Api;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A Docker socket that is missing, deaf or slow, or whose engine dies halfway through a create, an
 * exec or a delete: a clear error, nothing lost, and no container left once it is back.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@EnabledIfEnvironmentVariable(named = "SANDBOXER_DOCKER_HOST", matches = ".+")
class EngineFaultsTest {

  private static final Duration PATIENCE = Duration.ofMinutes(3);

  private FaultyEngine faulty;
  private Backend backend;
  private Platform platform;
  private Api api;

  @BeforeAll
  void start() throws IOException {
    Engine engine = Backends.docker().orElseThrow();
    faulty = new FaultyEngine(engine);
    backend = new DockerBackend(engine);
    Map<String, String> settings = Map.of("SANDBOXER_DOCKER_HOST", faulty.host());
    platform = Platform.startThrough(List.of(), home(), Platform.dist(), settings);
    api = platform.api();
  }

  /** A home whose platform gives an engine up after less than a minute. */
  private static Path home() throws IOException {
    Path home = Prepared.home();
    Path own = Files.createDirectories(home.resolve("extensions/docker"));
    Files.writeString(own.resolve("extension.yaml"), "config: {timeout_seconds: 20}\n");
    return home;
  }

  @AfterAll
  void stop() throws IOException {
    faulty.mend();
    platform.close();
    faulty.close();
  }

  private Api.Reply create() {
    return api.post("/v1/sandboxes", Api.create(backend.profile()), "Prefer", "wait=60");
  }

  private void leavesNothing(String id) {
    await()
        .atMost(PATIENCE)
        .until(() -> api.get("/v1/sandboxes/" + id).field("/cleanup").equals("done"));
    assertThat(backend.objectsOf(id)).isEmpty();
    assertThat(backend.processesOf(id)).isEmpty();
    assertThat(platform.sandboxFolders()).noneMatch(name -> name.startsWith(id.substring(3)));
  }

  private void works() {
    String id = api.ready(backend.profile()).path("id").asText();
    assertThat(api.access(id).exec("echo", "fine").field("/stdout")).isEqualTo("fine\n");
    assertThat(api.delete("/v1/sandboxes/" + id, "Prefer", "wait=60").field("/state"))
        .isEqualTo("destroyed");
  }

  @Test
  void aSocketThatIsMissingIsSaidWithItsPath() throws IOException {
    faulty.vanish();
    refused("there is no Docker socket at " + faulty.host().substring("unix://".length()));
  }

  @Test
  void aSocketWhereNobodyListensIsSaid() throws IOException {
    faulty.stop();
    refused("nobody answers at the Docker socket");
  }

  @Test
  void anEngineThatDoesNotAnswerIsGivenUp() throws IOException {
    faulty.stop(); // so that it is asked for its version again
    var _ = create();
    faulty.mend();
    var _ = faulty.dies(When.SILENT, "GET", "/version");
    Api.Reply reply = api.post("/v1/sandboxes", Api.create(backend.profile()));
    String id = reply.field("/id");
    await()
        .atMost(PATIENCE)
        .until(() -> api.get("/v1/sandboxes/" + id).field("/state").equals("failed"));
    assertThat(api.get("/v1/sandboxes/" + id).field("/failure/message"))
        .contains("did not say its version");
    faulty.mend();
    leavesNothing(id);
    works();
  }

  private void refused(String expected) throws IOException {
    Api.Reply reply = create();
    assertThat(reply.status()).as(reply.text()).isEqualTo(503);
    assertThat(reply.code()).isEqualTo("UNAVAILABLE");
    assertThat(reply.field("/detail")).contains(expected);
    faulty.mend();
    leavesNothing(reply.field("/sandbox_id"));
    works();
  }

  /** Side by side, because what may still take effect is watched for a while. */
  @Test
  void anEngineThatDiesInTheMiddleOfACreateLeavesNoContainer() throws IOException {
    List<String> failed = new ArrayList<>();
    for (When when : List.of(When.BEFORE, When.AFTER)) {
      for (String step : List.of("/containers/create", "/start")) {
        CompletableFuture<String> reached = faulty.dies(when, "POST", step);
        Api.Reply reply = create();
        assertThat(reached).as("%s %s", when, step).isDone();
        assertThat(reply.status()).as(reply.text()).isEqualTo(503);
        assertThat(reply.code()).isEqualTo("UNAVAILABLE");
        assertThat(reply.field("/detail")).contains("Docker Engine", "went away");
        String id = reply.field("/sandbox_id");
        assertThat(api.get("/v1/sandboxes/" + id).field("/state")).isEqualTo("failed");
        failed.add(id);
        faulty.mend();
        works();
      }
    }
    failed.forEach(this::leavesNothing);
  }

  @ParameterizedTest
  @CsvSource({"BEFORE", "AFTER"})
  void anEngineThatDiesInTheMiddleOfADeleteDelaysIt(When when) throws IOException {
    String id = api.ready(backend.profile()).path("id").asText();
    CompletableFuture<String> reached = faulty.dies(when, "DELETE", "/containers/");
    assertThat(api.delete("/v1/sandboxes/" + id).status()).isIn(200, 202);
    await().atMost(PATIENCE).until(reached::isDone);
    Api.Reply meanwhile = api.get("/v1/sandboxes/" + id);
    assertThat(meanwhile.field("/state")).as(meanwhile.text()).isEqualTo("destroying");
    faulty.mend();
    await()
        .atMost(PATIENCE)
        .until(() -> api.get("/v1/sandboxes/" + id).field("/state").equals("destroyed"));
    leavesNothing(id);
  }

  @Test
  void whatRunsDoesNotNeedTheEngine() throws IOException {
    String id = api.ready(backend.profile()).path("id").asText();
    Api.Dataplane inside = api.access(id);
    var running =
        CompletableFuture.supplyAsync(
            () -> inside.exec("sh", "-c", "while [ ! -e go ]; do sleep 0.1; done; echo over"));
    faulty.stop();
    assertThat(inside.upload("go", new byte[0]).status()).isBetween(200, 204);
    assertThat(running.join().field("/stdout")).isEqualTo("over\n");
    faulty.mend();
    await()
        .atMost(PATIENCE)
        .until(() -> api.get("/v1/sandboxes/" + id).field("/state").equals("active"));
    assertThat(inside.exec("echo", "still").field("/stdout")).isEqualTo("still\n");
  }
}
