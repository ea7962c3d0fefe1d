package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.testing.client.Api;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The platform is killed at each named step. After the restart there is one live object for each
 * live record, and none without.
 */
@OnEveryBackend
class CrashTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @Parameter private Backend backend;

  private Platform platform;

  @BeforeAll
  void start() {
    platform = Platform.start(Map.of());
  }

  @AfterAll
  void stop() {
    platform.close();
  }

  /** The next backend finds no sandbox of this one's. */
  @AfterParameterizedClassInvocation
  void destroy() {
    platform.api().destroyAll();
  }

  /** And none without: neither a jail nor a process nor a file. */
  private void oneObjectForEachLiveRecord(Api api) {
    Set<String> live = new TreeSet<>();
    for (JsonNode record : api.get("/v1/sandboxes?limit=1000").json().path("items")) {
      String id = record.path("id").asText();
      if (record.path("destroyed_at").isNull()) {
        assertThat(backend.objectsOf(id)).as(record.toString()).hasSize(1);
        live.addAll(backend.objectsOf(id));
      } else {
        assertThat(backend.objectsOf(id)).as(record.toString()).isEmpty();
        assertThat(backend.processesOf(id)).as(record.toString()).isEmpty();
      }
    }
    assertThat(platform.sandboxFolders()).isEqualTo(live);
  }

  /** Each transition was written once, in order; use and pulls are no part of what is killed. */
  private static void tellsItOnce(Api api, String id, String... life) {
    List<String> types = new ArrayList<>();
    long seq = 0;
    for (JsonNode event : api.get("/v1/sandboxes/" + id + "/events").json().path("items")) {
      assertThat(event.path("seq").asLong()).isEqualTo(++seq);
      String type = event.path("type").asText().replace("sandbox.", "");
      if (!Set.of("active", "image_pull").contains(type)) {
        types.add(type);
      }
    }
    assertThat(types).containsExactly(life);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "create.recorded",
        "create.attempted",
        "create.provisioned",
        "create.handle_stored",
        "create.reachable",
        "create.configured",
        "create.ready"
      })
  void aCreateThatWasCutGoesOn(String step) {
    Api api = platform.api();
    platform.arm(step);
    var cut =
        CompletableFuture.runAsync(
            () ->
                api.post(
                    "/v1/sandboxes",
                    Api.create(backend.profile()),
                    "Idempotency-Key",
                    step + backend));
    platform.awaitFailpoint(step);
    platform.kill();
    assertThat(cut.handle((done, e) -> true).join()).isTrue();
    platform.restart(Map.of());

    Api after = platform.api();
    Api.Reply again =
        after.post(
            "/v1/sandboxes",
            Api.create(backend.profile()),
            "Idempotency-Key",
            step + backend,
            "Prefer",
            "wait=60");
    assertThat(again.status()).as(again.text()).isEqualTo(201);
    assertThat(again.headers().firstValue("Idempotency-Replayed")).hasValue("true");
    String id = again.field("/id");
    oneObjectForEachLiveRecord(after);
    assertThat(after.access(id).exec("echo", "alive").field("/stdout")).isEqualTo("alive\n");
    assertThat(after.delete("/v1/sandboxes/" + id, "Prefer", "wait=60").status()).isEqualTo(200);
    tellsItOnce(after, id, "requested", "provisioning", "ready", "destroying", "destroyed");
    oneObjectForEachLiveRecord(after);
  }

  @ParameterizedTest
  @ValueSource(strings = {"create.claimed", "create.provisioned", "delete.torn_down"})
  void aRecreateThatWasCutGoesOn(String step) {
    Api api = platform.api();
    String id = api.ready(backend.profile()).path("id").asText();
    platform.arm(step);
    String path = "/v1/sandboxes/" + id + "/recreate";
    var cut = CompletableFuture.runAsync(() -> api.post(path, "{}", "If-Match", "1"));
    platform.awaitFailpoint(step);
    platform.kill();
    assertThat(cut.handle((done, e) -> true).join()).isTrue();
    platform.restart(Map.of());

    Api after = platform.api();
    Api.Reply again = after.get("/v1/sandboxes/" + id, "Prefer", "wait=60");
    assertThat(again.field("/state")).as(again.text()).isEqualTo("ready");
    assertThat(again.json().path("generation").asInt()).isEqualTo(2);
    await().atMost(PATIENCE).until(() -> backend.objectsOf(id).size() == 1);
    assertThat(after.delete("/v1/sandboxes/" + id, "Prefer", "wait=60").status()).isEqualTo(200);
    tellsItOnce(
        after,
        id,
        "requested",
        "provisioning",
        "ready",
        "requested",
        "provisioning",
        "ready",
        "destroying",
        "destroyed");
    oneObjectForEachLiveRecord(after);
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
    Api api = platform.api();
    String id = api.ready(backend.profile()).path("id").asText();
    platform.arm(step);
    var cut = CompletableFuture.runAsync(() -> api.delete("/v1/sandboxes/" + id));
    platform.awaitFailpoint(step);
    platform.kill();
    assertThat(cut.handle((done, e) -> true).join()).isTrue();
    platform.restart(Map.of());

    await()
        .atMost(PATIENCE)
        .until(() -> platform.api().get("/v1/sandboxes/" + id).field("/state").equals("destroyed"));
    tellsItOnce(
        platform.api(), id, "requested", "provisioning", "ready", "destroying", "destroyed");
    oneObjectForEachLiveRecord(platform.api());
  }

  @ParameterizedTest
  @ValueSource(strings = {"kill", "stop"})
  void aReadySandboxOutlivesThePlatform(String how) throws InterruptedException {
    Api api = platform.api();
    String id = api.ready(backend.profile()).path("id").asText();
    assertThat(api.access(id).exec("sh", "-c", "echo kept > kept.txt").status()).isEqualTo(200);
    Set<String> before = backend.objectsOf(id);
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
    assertThat(backend.objectsOf(id)).isEqualTo(before);
  }
}
