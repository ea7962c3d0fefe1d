package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sandboxer.testing.client.Api;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Deletes, and recreates, which remove as well, go on after the platform was killed. */
@OnEveryBackend
class CrashInDeleteTest extends Crashes {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** The last one first. */
  private static final List<String> DELETE =
      List.of(
          "delete.done",
          "delete.torn_down",
          "delete.destroying",
          "delete.claimed",
          "delete.wanted");

  @Test
  void recreatesThatWereCutGoOn() {
    String provisioned = ready();
    String claimed = ready();
    cut(
        List.of(
            new Cut("create.provisioned", () -> recreate(provisioned)),
            new Cut("recreate.recorded", () -> recreate(claimed))));

    Api after = platform.api();
    isRecreated(after, "create.provisioned", provisioned);
    isRecreated(after, "recreate.recorded", claimed);
    endsOnce(after, List.of(provisioned, claimed));
    oneObjectForEachLiveRecord(after);
  }

  /** A recreate tears down what its first generation had. */
  @Test
  void deletesAndARecreateThatWereCutGoOn() {
    String recreated = ready();
    List<String> deleted = DELETE.stream().map(_ -> ready()).toList();
    List<Cut> cuts = new ArrayList<>();
    cuts.add(new Cut("delete.torn_down", () -> recreate(recreated)));
    for (int i = 0; i < DELETE.size(); i++) {
      String path = "/v1/sandboxes/" + deleted.get(i);
      cuts.add(new Cut(DELETE.get(i), () -> platform.api().delete(path)));
    }
    cut(cuts);

    Api after = platform.api();
    isRecreated(after, "delete.torn_down", recreated);
    endsOnce(after, List.of(recreated));
    for (int i = 0; i < DELETE.size(); i++) {
      isDestroyed(after, DELETE.get(i), deleted.get(i));
    }
    oneObjectForEachLiveRecord(after);
  }

  private String ready() {
    return platform.api().ready(backend.profile()).path("id").asText();
  }

  private void recreate(String id) {
    platform.api().post("/v1/sandboxes/" + id + "/recreate", "{}", "If-Match", "1");
  }

  private void isRecreated(Api api, String step, String id) {
    Api.Reply again = api.get("/v1/sandboxes/" + id, "Prefer", "wait=60");
    assertThat(again.field("/state")).as(step + again.text()).isEqualTo("ready");
    assertThat(again.json().path("generation").asInt()).as(step).isEqualTo(2);
    await(step).atMost(PATIENCE).until(() -> backend.objectsOf(id).size() == 1);
  }

  private void endsOnce(Api api, List<String> recreated) {
    destroy(api, recreated);
    for (String id : recreated) {
      tellsItOnce(
          api,
          id,
          "requested",
          "provisioning",
          "ready",
          "requested",
          "provisioning",
          "ready",
          "destroying",
          "destroyed");
    }
  }

  private void isDestroyed(Api api, String step, String id) {
    await(step)
        .atMost(PATIENCE)
        .until(() -> api.get("/v1/sandboxes/" + id).field("/state").equals("destroyed"));
    tellsItOnce(api, id, "requested", "provisioning", "ready", "destroying", "destroyed");
  }
}
