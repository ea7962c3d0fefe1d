package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sandboxer.testing.client.Api;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Drains of a host go on after the platform was killed. */
@OnEveryBackend
class CrashInDrainTest extends Crashes {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String HOST = "drained";

  @Override
  Map<String, String> settings() {
    return Map.of("SANDBOXER_NODE", HOST);
  }

  @Test
  void drainsThatWereCutGoOn() {
    List<String> ids = List.of(ready(), ready());
    cutInTurn(
        List.of("drain.chosen", "drain.ended"), () -> host("drain", "{\"running\": \"end\"}"));

    Api after = platform.api();
    ids.forEach(id -> await(id).atMost(PATIENCE).until(() -> state(id).equals("destroyed")));
    host("uncordon", "{}");
    for (String id : ids) {
      assertThat(after.get("/v1/sandboxes/" + id).field("/end_reason")).isEqualTo("drained");
      tellsItOnce(after, id, "requested", "provisioning", "ready", "destroying", "destroyed");
    }
    oneObjectForEachLiveRecord(after);
    assertThat(after.access(ready()).exec("echo", "alive").field("/stdout")).isEqualTo("alive\n");
    oneObjectForEachLiveRecord(after);
  }

  private void host(String verb, String body) {
    Api.Reply reply = platform.api().post("/v1/hosts/" + HOST + "/" + verb, body);
    assertThat(reply.status()).as(reply.text()).isEqualTo(200);
  }

  private String ready() {
    return platform.api().ready(backend.profile()).path("id").asText();
  }

  private String state(String id) {
    return platform.api().get("/v1/sandboxes/" + id).field("/state");
  }
}
