package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sandboxer.testing.PrivateDockerd;
import dev.sandboxer.testing.client.Api;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A real dockerd is stopped, or killed with -9, under a running platform, and started again. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@EnabledIfEnvironmentVariable(named = "SANDBOXER_TEST_DOCKERD", matches = ".+")
class EngineKilledTest {

  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final String IMAGE = "debian:bookworm-slim";

  private PrivateDockerd dockerd;
  private Backend backend;
  private Platform platform;
  private Api api;

  @BeforeAll
  void start() throws IOException {
    dockerd = PrivateDockerd.start();
    dockerd.copyImage(Backends.docker().orElseThrow().host(), IMAGE);
    backend = new DockerBackend(Engine.at(dockerd.host()));
    platform = Platform.start(Map.of("SANDBOXER_DOCKER_HOST", dockerd.host()));
    api = platform.api();
  }

  @AfterAll
  void stop() throws IOException {
    platform.close();
    dockerd.close();
  }

  /** How a daemon ends. */
  enum End {
    STOPPED,
    KILLED
  }

  @ParameterizedTest
  @EnumSource
  void itIsMissedWhileItIsGoneAndNothingIsLeftOnceItIsBack(End end) throws IOException {
    String id = api.ready(backend.profile()).path("id").asText();
    assertThat(backend.objectsOf(id)).hasSize(1);
    Api.Dataplane inside = api.access(id);
    var running =
        CompletableFuture.supplyAsync(
            () -> inside.exec("sh", "-c", "touch begun; sleep 1; echo over"));
    await().atMost(PATIENCE).until(() -> inside.download("begun").status() == 200);
    dockerd.end(end == End.KILLED);
    Api.Reply meanwhile =
        api.post("/v1/sandboxes", Api.create(backend.profile()), "Prefer", "wait=60");
    assertThat(meanwhile.status()).as(meanwhile.text()).isEqualTo(503);
    assertThat(meanwhile.field("/detail")).contains("Docker");
    Api.Reply ran = running.join();
    if (end == End.KILLED) {
      assertThat(ran.field("/stdout"))
          .as("without its engine a container goes on")
          .isEqualTo("over\n");
    } else {
      assertThat(ran.status()).as("stopped with its engine: " + ran.text()).isIn(200, 502);
    }
    dockerd.startAgain();

    String next = api.ready(backend.profile()).path("id").asText();
    assertThat(api.access(next).exec("echo", "fine").field("/stdout")).isEqualTo("fine\n");
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              Api.Reply record = api.get("/v1/sandboxes/" + id);
              assertThat(record.field("/state")).isEqualTo("failed");
              assertThat(record.field("/failure/code")).isEqualTo("CRASH");
              assertThat(record.field("/cleanup")).isEqualTo("done");
              String refused = meanwhile.field("/sandbox_id");
              assertThat(api.get("/v1/sandboxes/" + refused).field("/cleanup")).isEqualTo("done");
            });
    assertThat(backend.objectsOf(id)).isEmpty();
    assertThat(backend.processesOf(id)).isEmpty();
    assertThat(api.delete("/v1/sandboxes/" + next, "Prefer", "wait=60").field("/state"))
        .isEqualTo("destroyed");
  }
}
