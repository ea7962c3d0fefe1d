package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sandboxer.testing.client.Api;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** boxd, jails, containers and PostgreSQL are killed with -9 under a running platform. */
@OnEveryBackend
class KilledPartsTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @Parameter private Backend backend;

  private Platform platform;
  private Api api;

  @BeforeAll
  void start() {
    platform = Platform.start(Map.of());
    api = platform.api();
  }

  @AfterAll
  void stop() {
    platform.close();
  }

  @Test
  void aSandboxWhoseBoxdIsKilledFailsOnceAndIsCleaned() {
    String id = api.ready(backend.profile()).path("id").asText();
    backend.killBoxd(id);
    failsAndIsCleaned(id);
  }

  @Test
  void aSandboxThatIsKilledFromOutsideFailsOnceAndIsCleaned() {
    String id = api.ready(backend.profile()).path("id").asText();
    backend.killFromOutside(id);
    failsAndIsCleaned(id);
  }

  private void failsAndIsCleaned(String id) {
    await()
        .atMost(PATIENCE)
        .until(() -> api.get("/v1/sandboxes/" + id).field("/cleanup").equals("done"));
    Api.Reply now = api.get("/v1/sandboxes/" + id);
    assertThat(now.field("/state")).isEqualTo("failed");
    assertThat(now.field("/failure/code")).isEqualTo("CRASH");
    assertThat(now.json().path("generation").asInt()).isEqualTo(1);
    assertThat(backend.objectsOf(id)).isEmpty();
    assertThat(backend.processesOf(id)).isEmpty();
    assertThat(api.delete("/v1/sandboxes/" + id, "Prefer", "wait=30").status()).isEqualTo(200);
  }

  @Test
  void aDatabaseThatIsKilledComesBackAndNothingIsLost() {
    String id = api.ready(backend.profile()).path("id").asText();
    Host.processes("postgres", platform.home().toString())
        .findFirst()
        .orElseThrow()
        .destroyForcibly();
    // What the dead server had started may answer for a moment yet.
    await()
        .atMost(PATIENCE)
        .until(() -> platform.log().contains("the embedded database runs again"));
    await().atMost(PATIENCE).until(() -> api.get("/v1/sandboxes/" + id).status() == 200);
    assertThat(api.access(id).exec("echo", "still").field("/stdout")).isEqualTo("still\n");
    assertThat(api.ready(backend.profile()).path("state").asText()).isEqualTo("ready");
  }
}
