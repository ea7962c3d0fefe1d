package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sandboxer.testing.client.Api;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A delete, and a recreate, which removes as well, go on after the platform was killed. */
@OnEveryBackend
class CrashInDeleteTest extends Crashes {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @ParameterizedTest
  @ValueSource(strings = {"create.claimed", "create.provisioned", "delete.torn_down"})
  void aRecreateThatWasCutGoesOn(String step) {
    Api api = platform.api();
    String id = api.ready(backend.profile()).path("id").asText();
    cut(step, () -> api.post("/v1/sandboxes/" + id + "/recreate", "{}", "If-Match", "1"));

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
    cut(step, () -> api.delete("/v1/sandboxes/" + id));

    await()
        .atMost(PATIENCE)
        .until(() -> platform.api().get("/v1/sandboxes/" + id).field("/state").equals("destroyed"));
    tellsItOnce(
        platform.api(), id, "requested", "provisioning", "ready", "destroying", "destroyed");
    oneObjectForEachLiveRecord(platform.api());
  }
}
