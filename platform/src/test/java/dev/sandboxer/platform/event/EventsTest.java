package dev.sandboxer.platform.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.platform.testing.InProcess;
import dev.sandboxer.platform.testing.LogLines;
import dev.sandboxer.testing.client.Api;
import dev.sandboxer.testing.client.Door;
import dev.sandboxer.testing.client.SseListener;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** What happened is told once, in order, to whom it concerns. */
@QuarkusTest
@TestProfile(EventsTest.Profile.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class EventsTest {

  private static final List<String> LIFE =
      List.of(
          "sandbox.requested",
          "sandbox.provisioning",
          "sandbox.ready",
          "sandbox.active",
          "sandbox.destroying",
          "sandbox.destroyed");

  private final Api api = InProcess.api();

  @Test
  void tellsAWholeLifeWithItsFacts() {
    String id = live("{\"topic_id\": \"top-1\", \"task_id\": \"tsk-2\"}");
    List<JsonNode> history = items(api.get("/v1/sandboxes/" + id + "/events").json());
    assertThat(history).extracting(event -> event.path("type").asText()).isEqualTo(LIFE);
    assertThat(history)
        .extracting(event -> event.path("seq").asLong())
        .isEqualTo(LongStream.rangeClosed(1, LIFE.size()).boxed().toList());
    JsonNode ready = history.get(2);
    assertThat(ready.path("subject").path("sandbox_id").asText()).isEqualTo(id);
    assertThat(ready.path("actor_type").asText()).isEqualTo("atm");
    assertThat(ready.path("consumer").path("topic_id").asText()).isEqualTo("top-1");
    assertThat(ready.path("consumer").path("task_id").asText()).isEqualTo("tsk-2");
    assertThat(ready.path("detail").has("reachability")).isTrue();
    assertThat(ready.path("detail").path("extension_id").asText()).isEqualTo("ext.process");
    assertThat(ready.path("detail").path("timestamps").has("ready_at")).isTrue();
    assertThat(history.get(1).path("detail").has("host")).isTrue();
    JsonNode destroyed = history.getLast().path("detail");
    assertThat(destroyed.path("duration_s").asDouble()).isPositive();
    assertThat(destroyed.has("cleanup")).isTrue();
    assertThat(api.get("/v1/sandboxes/" + id).json().path("consumer").path("topic_id").asText())
        .isEqualTo("top-1");
  }

  @Test
  void aReaderThatGoesOnFromItsCursorMissesNothing() {
    String id = live("{}");
    List<String> types = new ArrayList<>();
    List<Long> positions = new ArrayList<>();
    String path = "/v1/events?limit=2&sandbox_id=" + id;
    String next = "";
    while (!next.equals("null")) {
      JsonNode page = api.get(path + next).json();
      for (JsonNode event : items(page)) {
        types.add(event.path("type").asText());
        positions.add(event.path("position").asLong());
      }
      JsonNode cursor = page.path("next_cursor");
      next = cursor.isNull() ? "null" : "&cursor=" + cursor.asText();
    }
    assertThat(types).isEqualTo(LIFE);
    assertThat(positions).isSorted().doesNotHaveDuplicates();
    JsonNode some = api.get("/v1/events?type=sandbox.ready,sandbox.destr*&sandbox_id=" + id).json();
    assertThat(some.path("error").path("code").asText()).isEqualTo("VALIDATION");
    assertThat(items(api.get("/v1/events?type=sandbox.ready&sandbox_id=" + id).json())).hasSize(1);
    assertThat(items(api.get("/v1/events?type=sandbox.*&sandbox_id=" + id).json()))
        .hasSize(LIFE.size());
    assertThat(items(api.get("/v1/events?type=session.*&sandbox_id=" + id).json())).isEmpty();
  }

  @Test
  void aListenerHearsItAsItHappensAndGoesOnAfterABreak() {
    String first;
    String last;
    try (SseListener listener = SseListener.open(api, "/v1/events/stream", "")) {
      first = live("{}");
      List<SseListener.Message> heard = listener.await(LIFE.size(), Duration.ofSeconds(60));
      assertThat(heard).extracting(SseListener.Message::event).isEqualTo(LIFE);
      assertThat(heard).allSatisfy(message -> assertThat(message.data()).contains(first));
      last = heard.get(3).id();
    }
    String second = live("{}");
    try (SseListener again = SseListener.open(api, "/v1/events/stream", last)) {
      List<SseListener.Message> heard = again.await(2 + LIFE.size(), Duration.ofSeconds(60));
      assertThat(heard.subList(0, 2))
          .extracting(SseListener.Message::event)
          .isEqualTo(LIFE.subList(4, 6));
      assertThat(heard.subList(2, heard.size()))
          .allSatisfy(message -> assertThat(message.data()).contains(second));
    }
  }

  @Test
  void aPlaceThatARestoredDatabaseDoesNotKnowIsToldAsAGap() throws IOException {
    var _ = live("{}");
    JsonNode page = api.get("/v1/events?cursor=900000").json();
    assertThat(page.at("/items")).isEmpty();
    assertThat(page.at("/gap/to").asLong()).isEqualTo(900_000);
    try (SseListener ahead = SseListener.open(api, "/v1/events/stream", "900000")) {
      SseListener.Message gap = ahead.await(1, Duration.ofSeconds(60)).getFirst();
      assertThat(gap.event()).isEqualTo("gap");
      long from = Api.JSON.readTree(gap.data()).path("from").asLong();
      assertThat(Api.JSON.readTree(gap.data()).path("to").asLong()).isEqualTo(900_000);
      assertThat(gap.id()).isEqualTo(Long.toString(from - 1));
      String id = live("{}");
      List<SseListener.Message> heard = ahead.await(1 + LIFE.size(), Duration.ofSeconds(60));
      assertThat(heard.get(1).id()).isEqualTo(Long.toString(from));
      assertThat(heard.subList(1, heard.size()))
          .allSatisfy(message -> assertThat(message.data()).contains(id));
    }
  }

  @Test
  void aListenerThatLeavesIsNoFailure() {
    try (LogLines log = LogLines.follow();
        SseListener stays = SseListener.open(api, "/v1/events/stream", "")) {
      SseListener.open(api, "/v1/events/stream", "").close();
      String id = api.ready().path("id").asText();
      await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> stays.heard().stream().anyMatch(event -> event.data().contains(id)));
      assertThat(log.with("request failed")).isEmpty();
    }
  }

  @Test
  void aListenerIsCutOffWhenItsKeyEnds() {
    Api.Reply made = api.post("/v1/keys", "{\"name\": \"short\", \"role\": \"consumer\"}");
    try (SseListener theirs =
            SseListener.open(api.withKey(made.field("/key")), "/v1/events/stream", "");
        SseListener mine = SseListener.open(api, "/v1/events/stream", "")) {
      assertThat(api.delete("/v1/keys/" + made.field("/id")).status()).isIn(200, 204);
      await().atMost(Duration.ofMinutes(2)).until(theirs::over);
      assertThat(mine.over()).isFalse();
    }
  }

  @Test
  void aSessionThatEndsWithItsSandboxIsTold() {
    Door door = new Door(api);
    JsonNode bound = door.ensure(Door.thread());
    String session = bound.path("session_id").asText();
    String sandbox = bound.at("/sandbox/id").asText();
    assertThat(api.delete("/v1/sandboxes/" + sandbox).status()).isIn(200, 202);
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> door.sandboxState(sandbox).equals("destroyed"));
    List<JsonNode> ends = new ArrayList<>();
    for (JsonNode event : items(api.get("/v1/sandboxes/" + sandbox + "/events").json())) {
      if (event.path("type").asText().equals("session.ended")) {
        ends.add(event.path("detail"));
      }
    }
    assertThat(ends).hasSize(1);
    assertThat(ends.getFirst().path("session_id").asText()).isEqualTo(session);
    assertThat(ends.getFirst().path("end_reason").asText()).isEqualTo("requested");
  }

  @Test
  void everyTypeAndFieldIsInTheReference() {
    var _ = live("{}");
    Door door = new Door(api);
    JsonNode session = door.ensure(Door.thread());
    assertThat(door.release(session.path("session_id").asText()).status()).isEqualTo(204);
    String end = session.at("/sandbox/id").asText();
    await().atMost(Duration.ofSeconds(60)).until(() -> door.sandboxState(end).equals("destroyed"));
    awaitPositions(end);
    Map<String, Set<String>> known = new HashMap<>();
    for (JsonNode type : items(api.get("/v1/events/types").json())) {
      known.put(
          type.path("type").asText(), Set.copyOf(type.path("detail").findValuesAsText("name")));
    }
    List<JsonNode> all = items(api.get("/v1/events?limit=1000").json());
    assertThat(all)
        .extracting(event -> event.path("type").asText())
        .contains("session.started", "session.ended", "sandbox.destroyed");
    for (JsonNode event : all) {
      String type = event.path("type").asText();
      assertThat(known).containsKey(type);
      List<String> fields = new ArrayList<>();
      event.path("detail").fieldNames().forEachRemaining(fields::add);
      assertThat(known.get(type)).as(type).containsAll(fields);
    }
  }

  @Test
  void fiftyListenersHearTheSameWithoutAHole() {
    List<SseListener> listeners = new ArrayList<>();
    try {
      for (int i = 0; i < 50; i++) {
        listeners.add(SseListener.open(api, "/v1/events/stream", ""));
      }
      var _ = live("{}");
      var _ = live("{}");
      int events = 2 * LIFE.size();
      for (SseListener listener : listeners) {
        List<Long> heard =
            listener.await(events, Duration.ofSeconds(60)).stream()
                .map(message -> Long.valueOf(message.id()))
                .toList();
        long first = heard.getFirst();
        assertThat(heard).isEqualTo(LongStream.range(first, first + events).boxed().toList());
      }
    } finally {
      listeners.forEach(SseListener::close);
    }
  }

  @Test
  void anotherTenantHearsNothing() {
    String key = otherTenantsKey();
    Api other = api.withKey(key);
    try (SseListener theirs = SseListener.open(other, "/v1/events/stream?cursor=0", "");
        SseListener mine = SseListener.open(api, "/v1/events/stream", "")) {
      String id = live("{}");
      assertThat(mine.await(LIFE.size(), Duration.ofSeconds(60))).hasSize(LIFE.size());
      assertThat(theirs.heard()).isEmpty();
      assertThat(items(other.get("/v1/events").json())).isEmpty();
      assertThat(other.get("/v1/sandboxes/" + id + "/events").status()).isEqualTo(404);
    }
  }

  @Test
  void refusesWhatItDoesNotUnderstand() {
    assertThat(api.get("/v1/events?limit=0").code()).isEqualTo("VALIDATION");
    assertThat(api.get("/v1/events?cursor=x").code()).isEqualTo("VALIDATION");
    assertThat(api.get("/v1/events?typ=sandbox.ready").text())
        .contains("typ")
        .contains("known are");
    assertThat(api.get("/v1/events?type=sandbox.reday").text())
        .contains("VALIDATION", "did you mean 'sandbox.ready'?");
    assertThat(api.get("/v1/events/stream?type=sandbx.*").text())
        .contains("did you mean 'sandbox.*'?");
    assertThat(api.get("/v1/events?sandbox_id=1").code()).isEqualTo("VALIDATION");
    assertThat(api.get("/v1/events/stream", "Last-Event-ID", "abc").code()).isEqualTo("VALIDATION");
    assertThat(api.withKey("").get("/v1/events/stream").status()).isEqualTo(401);
    assertThat(api.get("/v1/sandboxes/sb_a0000000000000000000/events").status()).isEqualTo(404);
  }

  private String otherTenantsKey() {
    var _ = api.post("/v1/tenants", "{\"name\": \"others\"}");
    return api.post(
            "/v1/keys", "{\"name\": \"other\", \"role\": \"consumer\", \"tenant\": \"others\"}")
        .field("/key");
  }

  /** A whole life: made, used, destroyed, and told: whoever listens after that does not hear it. */
  private String live(String work) {
    String id = untold(work);
    awaitPositions(id);
    return id;
  }

  private String untold(String work) {
    String consumer =
        "{\"actor\": \"atm\", \"project\": \"e2e\"" + work.replaceFirst("^\\{(?=.)", ", ");
    consumer = work.equals("{}") ? "{\"actor\": \"atm\", \"project\": \"e2e\"}" : consumer;
    Api.Reply made =
        api.post(
            "/v1/sandboxes",
            "{\"profile\": \"local\", \"consumer\": %s}".formatted(consumer),
            "Prefer",
            "wait=60");
    assertThat(made.status()).as(made.text()).isEqualTo(201);
    String id = made.field("/id");
    assertThat(api.access(id).exec("true").status()).isEqualTo(200);
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> api.get("/v1/sandboxes/" + id).field("/state").equals("active"));
    assertThat(api.delete("/v1/sandboxes/" + id, "Prefer", "wait=60").status()).isEqualTo(200);
    return id;
  }

  private void awaitPositions(String id) {
    await()
        .atMost(Duration.ofSeconds(60))
        .until(
            () ->
                items(api.get("/v1/sandboxes/" + id + "/events").json()).stream()
                    .noneMatch(event -> event.path("position").isNull()));
  }

  private static List<JsonNode> items(JsonNode page) {
    List<JsonNode> items = new ArrayList<>();
    page.path("items").forEach(items::add);
    return items;
  }

  /** A log with nothing of others in it. */
  public static final class Profile extends InProcess {}
}
