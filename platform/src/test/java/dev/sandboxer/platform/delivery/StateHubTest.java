package dev.sandboxer.platform.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.platform.testing.InProcess;
import dev.sandboxer.testing.FreePort;
import dev.sandboxer.testing.client.Api;
import dev.sandboxer.testing.client.EventTypes;
import dev.sandboxer.testing.client.StateHub;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.eclipse.microprofile.config.ConfigProvider;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A real State Hub learns everything, in order, whatever it does meanwhile. What waits longer than
 * two tries is set aside where something else got through.
 */
@QuarkusTest
@TestProfile(StateHubTest.Profile.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class StateHubTest {

  private static final String URL = "SANDBOXER_STATE_HUB_URL";

  private final Api api = InProcess.api();
  private StateHub hub;

  @BeforeAll
  void start() {
    hub =
        StateHub.start(
            URI.create(ConfigProvider.getConfig().getValue(URL, String.class)).getPort());
  }

  @AfterAll
  void stop() {
    hub.close();
  }

  @Test
  void learnsALifeAsProgress() {
    String id = live(api);
    List<JsonNode> told = awaitLife(hub, id);
    assertThat(types(told)).isEqualTo(EventTypes.LIFE);
    assertThat(told)
        .extracting(entry -> entry.at("/progress/event_type").asText())
        .containsExactly("note", "note", "milestone", "note", "milestone");
    JsonNode ready = told.get(2);
    assertThat(ready.at("/progress/summary").asText()).contains(id, "is ready after");
    assertThat(ready.at("/progress/author").asText()).isEqualTo("sandboxer");
    assertThat(ready.at("/progress/task_id").asText()).isEqualTo("tsk-7");
    assertThat(ready.at("/progress/detail/reachability/dataplane").asText())
        .matches("/dp/sb_[a-z0-9]{20}/v1");
    assertThat(ready.at("/progress/detail/reachability/kind").asText()).isEqualTo("unix");
    assertThat(ready.at("/key").asText())
        .isEqualTo(ready.at("/progress/detail/event_id").asText())
        .startsWith("evt_");
    assertThat(ready.at("/authorization").asText()).isEqualTo("Bearer hub-token");
    assertThat(told.getLast().at("/progress/detail/duration_s").asDouble()).isPositive();
  }

  @ParameterizedTest
  @ValueSource(strings = {"500", "429", "garbage", "close", "slow"})
  void missesNothingOfWhatHappenedWhileItFailed(String fault) {
    hub.fault(fault);
    String first = live(api);
    String second = live(api);
    if (!fault.equals("slow")) {
      assertThat(hub.of(first)).isEmpty();
      awaitFailing(api);
    }
    hub.fault("ok");
    assertThat(types(awaitLife(hub, first))).isEqualTo(EventTypes.LIFE);
    assertThat(types(awaitLife(hub, second))).isEqualTo(EventTypes.LIFE);
  }

  @ParameterizedTest
  @ValueSource(strings = {"404", "500"})
  void setsAsideWhatAloneFailsForEver(String fault) {
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

  /** However short the plan is: nothing got through that would say that the event is at fault. */
  @Test
  void setsNothingAsideWhileTheHubTakesNothing() {
    hub.fault("500");
    String id = live(api);
    await().atMost(Duration.ofMinutes(2)).until(() -> sink(api, "failures") >= 6);
    assertThat(sink(api, "parked")).isZero();
    hub.fault("ok");
    assertThat(types(awaitLife(hub, id))).isEqualTo(EventTypes.LIFE);
    assertThat(sink(api, "parked")).isZero();
  }

  @Test
  void oneRequestAtATimeHangsAtAHubThatIsSilent() {
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

  private static int sink(Api api, String figure) {
    return api.get("/v1/sinks").json().at("/items/0/" + figure).asInt();
  }

  @Test
  void setsAsideWhatTheHubRefusesUntilTheOperatorDecides() {
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

  @Test
  void aPausedSinkKeepsItsBacklog() {
    assertThat(api.post("/v1/sinks/state-hub/pause", "{}").field("/state")).isEqualTo("paused");
    String id = live(api);
    await()
        .atMost(Duration.ofMinutes(1))
        .until(
            () -> api.get("/v1/sinks").json().at("/items/0/lag").asInt() == EventTypes.LIFE.size());
    assertThat(hub.of(id)).isEmpty();
    assertThat(api.post("/v1/sinks/state-hub/resume", "{}").field("/state")).isEqualTo("active");
    assertThat(types(awaitLife(hub, id))).isEqualTo(EventTypes.LIFE);
    assertThat(api.post("/v1/sinks/nothing/pause", "{}").status()).isEqualTo(404);
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

  /** With a hub at a port of its own and a short plan. */
  public static final class Profile extends InProcess {

    private final Map<String, String> settings =
        settings(
            Map.of(
                URL,
                "http://127.0.0.1:" + FreePort.find(),
                "SANDBOXER_STATE_HUB_TOKEN",
                "hub-token",
                "SANDBOXER_SINK_RETRIES",
                "1,1"));

    @Override
    public Map<String, String> getConfigOverrides() {
      return settings;
    }
  }
}
