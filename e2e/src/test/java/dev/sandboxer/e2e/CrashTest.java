package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The platform is killed at each named step. After the restart there is one live object for each
 * live record, and none without.
 */
class CrashTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @ParameterizedTest
  @ValueSource(
      strings = {
        "create.recorded",
        "create.claimed",
        "create.attempted",
        "create.provisioned",
        "create.handle_stored",
        "create.reachable",
        "create.configured",
        "create.ready"
      })
  void aCreateThatWasCutGoesOn(String step) {
    try (Platform platform = Platform.start(Map.of("SANDBOXER_FAILPOINT", step))) {
      Api api = platform.api();
      var cut =
          CompletableFuture.runAsync(
              () ->
                  api.post(
                      "/v1/sandboxes", Api.create("local"), "Idempotency-Key", "once"));
      platform.awaitFailpoint(step);
      platform.kill();
      assertThat(cut.handle((done, e) -> true).join()).isTrue();
      platform.restart(Map.of());

      Api after = platform.api();
      Api.Reply again =
          after.post(
              "/v1/sandboxes", Api.create("local"), "Idempotency-Key", "once", "Prefer", "wait=60");
      assertThat(again.status()).as(again.text()).isEqualTo(201);
      assertThat(again.headers().firstValue("Idempotency-Replayed")).hasValue("true");
      assertThat(after.get("/v1/sandboxes").json().path("items")).hasSize(1);
      String id = again.field("/id");
      assertThat(Host.jailsOf(id)).hasSize(1);
      assertThat(after.access(id).exec("echo", "alive").field("/stdout")).isEqualTo("alive\n");
      assertThat(after.delete("/v1/sandboxes/" + id, "Prefer", "wait=30").status()).isEqualTo(200);
      assertThat(Host.jailsOf(id)).isEmpty();
      assertThat(Host.processesOf(id)).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "delete.wanted",
        "delete.claimed",
        "delete.destroying",
        "delete.torn_down",
        "delete.done"
      })
  void aDeleteThatWasCutGoesOn(String step) {
    try (Platform platform = Platform.start(Map.of("SANDBOXER_FAILPOINT", step))) {
      Api api = platform.api();
      String id = api.ready().path("id").asText();
      var cut = CompletableFuture.runAsync(() -> api.delete("/v1/sandboxes/" + id));
      platform.awaitFailpoint(step);
      platform.kill();
      assertThat(cut.handle((done, e) -> true).join()).isTrue();
      platform.restart(Map.of());

      await()
          .atMost(PATIENCE)
          .until(
              () -> platform.api().get("/v1/sandboxes/" + id).field("/state").equals("destroyed"));
      assertThat(Host.jailsOf(id)).isEmpty();
      assertThat(Host.processesOf(id)).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"kill", "stop"})
  void aReadySandboxOutlivesThePlatform(String how) throws InterruptedException {
    try (Platform platform = Platform.start(Map.of())) {
      Api api = platform.api();
      String id = api.ready().path("id").asText();
      assertThat(api.access(id).exec("sh", "-c", "echo kept > kept.txt").status()).isEqualTo(200);
      Set<String> before = Host.jailsOf(id);
      if (how.equals("kill")) {
        platform.kill();
      } else {
        platform.process().destroy();
        assertThat(platform.process().waitFor()).isIn(0, 143);
      }
      platform.restart(Map.of());
      Api after = platform.api();
      assertThat(after.get("/v1/sandboxes/" + id).field("/state")).isIn("ready", "active");
      assertThat(after.access(id).download("kept.txt").text()).isEqualTo("kept\n");
      assertThat(Host.jailsOf(id)).isEqualTo(before);
    }
  }
}
