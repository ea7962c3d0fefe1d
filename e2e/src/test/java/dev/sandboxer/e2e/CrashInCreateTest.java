package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandboxer.testing.client.Api;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A create goes on after the platform was killed, and what is ready outlives it. */
@OnEveryBackend
class CrashInCreateTest extends Crashes {

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
    cut(
        step,
        () ->
            api.post(
                "/v1/sandboxes", Api.create(backend.profile()), "Idempotency-Key", step + backend));

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
