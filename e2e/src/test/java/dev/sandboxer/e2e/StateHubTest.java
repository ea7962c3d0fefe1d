package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.testing.client.Api;
import dev.sandboxer.testing.client.EventTypes;
import dev.sandboxer.testing.client.StateHub;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A real State Hub learns everything, in order, whatever it does meanwhile. */
class StateHubTest {

  @Test
  void learnsWhatHappenedWhileItAndThePlatformWereDown() throws InterruptedException {
    try (StateHub hub = StateHub.start();
        Platform platform = Platform.start(settings(hub))) {
      hub.kill();
      String id = live(platform.api());
      platform.kill();
      platform.restart(settings(hub));
      hub.comeBack();
      List<JsonNode> told = awaitLife(hub, id);
      assertThat(types(told)).isEqualTo(EventTypes.LIFE);
      assertThat(told).extracting(entry -> entry.at("/key").asText()).doesNotHaveDuplicates();
    }
  }

  /** The hour passes on the database's clock, by which every pause and age is judged. */
  @Test
  void missesNothingOfAnHourInWhichItWasDown() throws InterruptedException {
    try (Database database = Database.start();
        StateHub hub = StateHub.start()) {
      Map<String, String> settings = new HashMap<>(database.settings());
      settings.putAll(settings(hub));
      try (Platform platform = Platform.start(settings)) {
        Api api = platform.api();
        String told = live(api);
        assertThat(types(awaitLife(hub, told))).isEqualTo(EventTypes.LIFE);
        hub.kill();
        String before = live(api);
        awaitFailing(api);
        int failures = sink(api, "failures");
        database.stepClock("1 hour");
        await()
            .atMost(Duration.ofSeconds(60))
            .ignoreExceptions()
            .until(() -> sink(api, "failures") > failures && sink(api, "lag_seconds") >= 3600);
        String after = live(api);
        assertThat(sink(api, "parked")).isZero();
        hub.comeBack();
        for (String id : List.of(before, after)) {
          List<JsonNode> life = awaitLife(hub, id);
          assertThat(types(life)).isEqualTo(EventTypes.LIFE);
          assertThat(life).extracting(entry -> entry.at("/key").asText()).doesNotHaveDuplicates();
        }
        assertThat(types(hub.of(told))).isEqualTo(EventTypes.LIFE);
      }
    }
  }

  private static int sink(Api api, String figure) {
    return api.get("/v1/sinks").json().at("/items/0/" + figure).asInt();
  }

  private static Map<String, String> settings(StateHub hub) {
    return Map.of(
        "SANDBOXER_STATE_HUB_URL", hub.url().toString(), "SANDBOXER_STATE_HUB_TOKEN", "hub-token");
  }

  private static String live(Api api) {
    String id = made(api);
    ended(api, id);
    return id;
  }

  private static void ended(Api api, String id) {
    assertThat(api.delete("/v1/sandboxes/" + id, "Prefer", "wait=30").status()).isEqualTo(200);
  }

  private static String made(Api api) {
    Api.Reply made =
        api.post(
            "/v1/sandboxes",
            """
            {"profile": "local",
             "consumer": {"actor": "atm", "project": "e2e", "task_id": "tsk-7"}}
            """,
            "Prefer",
            "wait=60");
    assertThat(made.status()).as(made.text()).isEqualTo(201);
    return made.field("/id");
  }

  private static void awaitFailing(Api api) {
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> api.get("/v1/sinks").json().at("/items/0/failures").asInt() > 0);
  }

  private static List<JsonNode> awaitLife(StateHub hub, String id) {
    await().atMost(Duration.ofSeconds(60)).until(() -> hub.of(id).size() >= EventTypes.LIFE.size());
    return hub.of(id);
  }

  private static List<String> types(List<JsonNode> told) {
    List<String> types = new ArrayList<>();
    told.forEach(entry -> types.add(entry.at("/progress/detail/type").asText()));
    return types;
  }
}
