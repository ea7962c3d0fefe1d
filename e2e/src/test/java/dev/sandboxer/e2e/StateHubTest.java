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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A real State Hub learns everything, in order, whatever it does meanwhile. */
class StateHubTest {

  @Test
  void learnsALifeAsProgress() {
    try (StateHub hub = StateHub.start();
        Platform platform = Platform.start(settings(hub))) {
      String id = live(platform.api());
      List<JsonNode> told = awaitLife(hub, id);
      assertThat(types(told)).isEqualTo(EventTypes.LIFE);
      assertThat(told)
          .extracting(entry -> entry.at("/progress/event_type").asText())
          .containsExactly("note", "note", "milestone", "note", "milestone");
      JsonNode ready = told.get(2);
      assertThat(ready.at("/progress/summary").asText()).contains(id, "is ready after");
      assertThat(ready.at("/progress/author").asText()).isEqualTo("sandboxer");
      assertThat(ready.at("/progress/task_id").asText()).isEqualTo("tsk-7");
      assertThat(ready.at("/progress/detail/reachability").isObject()).isTrue();
      assertThat(ready.at("/key").asText())
          .isEqualTo(ready.at("/progress/detail/event_id").asText())
          .startsWith("evt_");
      assertThat(ready.at("/authorization").asText()).isEqualTo("Bearer hub-token");
      assertThat(told.getLast().at("/progress/detail/duration_s").asDouble()).isPositive();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"500", "429", "garbage", "close", "slow"})
  void missesNothingOfWhatHappenedWhileItFailed(String fault) {
    try (StateHub hub = StateHub.start();
        Platform platform = Platform.start(settings(hub))) {
      hub.fault(fault);
      String first = live(platform.api());
      String second = live(platform.api());
      if (!fault.equals("slow")) {
        assertThat(hub.of(first)).isEmpty();
        awaitFailing(platform.api());
      }
      hub.fault("ok");
      assertThat(types(awaitLife(hub, first))).isEqualTo(EventTypes.LIFE);
      assertThat(types(awaitLife(hub, second))).isEqualTo(EventTypes.LIFE);
    }
  }

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

  @ParameterizedTest
  @ValueSource(strings = {"404", "500"})
  void setsAsideWhatAloneFailsForEver(String fault) {
    try (StateHub hub = StateHub.start();
        Platform platform = Platform.start(impatient(hub))) {
      Api api = platform.api();
      String poisoned = made(api);
      hub.fault(fault + "/" + poisoned); // some of its entries may be there already
      ended(api, poisoned);
      await()
          .atMost(Duration.ofMinutes(2))
          .until(() -> !live(api).isEmpty() && sink(api, "parked") == 1);
      JsonNode parked = api.get("/v1/sinks/state-hub/parked").json().at("/items/0");
      assertThat(parked.path("subject").asText()).isEqualTo(poisoned);
      assertThat(parked.path("error").asText()).contains("answered " + fault);
      String other = live(api);
      assertThat(types(awaitLife(hub, other))).isEqualTo(EventTypes.LIFE);
      assertThat(hub.of(poisoned)).hasSizeLessThan(EventTypes.LIFE.size());

      hub.fault("ok");
      String replay = "/v1/sinks/state-hub/parked/" + poisoned + "/replay";
      assertThat(api.post(replay, "{}").status()).isEqualTo(204);
      assertThat(types(awaitLife(hub, poisoned))).isEqualTo(EventTypes.LIFE);
    }
  }

  /** However short the plan is: nothing got through that would say that the event is at fault. */
  @Test
  void setsNothingAsideWhileTheHubTakesNothing() {
    try (StateHub hub = StateHub.start();
        Platform platform = Platform.start(impatient(hub))) {
      Api api = platform.api();
      hub.fault("500");
      String id = live(api);
      await().atMost(Duration.ofMinutes(2)).until(() -> sink(api, "failures") >= 6);
      assertThat(sink(api, "parked")).isZero();
      hub.fault("ok");
      assertThat(types(awaitLife(hub, id))).isEqualTo(EventTypes.LIFE);
      assertThat(sink(api, "parked")).isZero();
    }
  }

  @Test
  void oneRequestAtATimeHangsAtAHubThatIsSilent() {
    try (StateHub hub = StateHub.start();
        Platform platform = Platform.start(settings(hub))) {
      Api api = platform.api();
      hub.fault("500");
      List<String> ids = List.of(live(api), live(api), live(api), live(api));
      awaitFailing(api);
      hub.fault("silent");
      await().atMost(Duration.ofMinutes(1)).until(() -> hub.open() > 0);
      int failures = sink(api, "failures");
      await()
          .atMost(Duration.ofMinutes(2))
          .until(
              () -> {
                // The next one may come before the hub has seen that the one before is over.
                assertThat(hub.open()).isLessThanOrEqualTo(2);
                return sink(api, "failures") > failures;
              });
      hub.fault("ok");
      for (String id : ids) {
        assertThat(types(awaitLife(hub, id))).isEqualTo(EventTypes.LIFE);
      }
    }
  }

  private static Map<String, String> impatient(StateHub hub) {
    Map<String, String> settings = new HashMap<>(settings(hub));
    settings.put("SANDBOXER_SINK_RETRIES", "1,1");
    return settings;
  }

  private static int sink(Api api, String figure) {
    return api.get("/v1/sinks").json().at("/items/0/" + figure).asInt();
  }

  @Test
  void setsAsideWhatTheHubRefusesUntilTheOperatorDecides() {
    try (StateHub hub = StateHub.start();
        Platform platform = Platform.start(settings(hub))) {
      Api api = platform.api();
      hub.fault("422");
      String refused = live(api);
      String skipped = live(api);
      await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> api.get("/v1/sinks").json().at("/items/0/parked").asInt() == 2);
      hub.fault("ok");
      String other = live(api);
      assertThat(types(awaitLife(hub, other))).isEqualTo(EventTypes.LIFE);
      assertThat(hub.of(refused)).isEmpty();

      JsonNode parked = api.get("/v1/sinks/state-hub/parked").json().path("items");
      assertThat(parked.findValuesAsText("subject")).containsExactlyInAnyOrder(refused, skipped);
      assertThat(parked.get(0).path("error").asText()).contains("422");
      String path = "/v1/sinks/state-hub/parked/";
      assertThat(api.post(path + refused + "/replay", "{}").status()).isEqualTo(204);
      assertThat(api.post(path + skipped + "/skip", "{}").status()).isEqualTo(204);
      assertThat(types(awaitLife(hub, refused))).isEqualTo(EventTypes.LIFE);
      await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> hub.of(skipped).size() == EventTypes.LIFE.size() - 1);
      assertThat(types(hub.of(skipped)))
          .isEqualTo(EventTypes.LIFE.subList(1, EventTypes.LIFE.size()));
      assertThat(api.post(path + refused + "/replay", "{}").status()).isEqualTo(404);
    }
  }

  @Test
  void aPausedSinkKeepsItsBacklog() {
    try (StateHub hub = StateHub.start();
        Platform platform = Platform.start(settings(hub))) {
      Api api = platform.api();
      assertThat(api.post("/v1/sinks/state-hub/pause", "{}").field("/state")).isEqualTo("paused");
      String id = live(api);
      await()
          .atMost(Duration.ofMinutes(1))
          .until(
              () ->
                  api.get("/v1/sinks").json().at("/items/0/lag").asInt() == EventTypes.LIFE.size());
      assertThat(hub.of(id)).isEmpty();
      assertThat(api.post("/v1/sinks/state-hub/resume", "{}").field("/state")).isEqualTo("active");
      assertThat(types(awaitLife(hub, id))).isEqualTo(EventTypes.LIFE);
      assertThat(api.post("/v1/sinks/nothing/pause", "{}").status()).isEqualTo(404);
    }
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
