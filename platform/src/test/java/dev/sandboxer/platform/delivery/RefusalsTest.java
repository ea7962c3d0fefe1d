package dev.sandboxer.platform.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.platform.testing.InProcess;
import dev.sandboxer.testing.FreePort;
import dev.sandboxer.testing.client.Api;
import dev.sandboxer.testing.client.Door;
import dev.sandboxer.testing.client.SseListener;
import dev.sandboxer.testing.client.StateHub;
import dev.sandboxer.testing.client.WebhookReceiver;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.eclipse.microprofile.config.ConfigProvider;
import org.junit.jupiter.api.Test;

/** A tenant hears that a quota refused it: by every way that events take, and not too often. */
@QuarkusTest
@TestProfile(RefusalsTest.Profile.class)
class RefusalsTest {

  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final String HUB = "SANDBOXER_STATE_HUB_URL";
  private static final String REFUSED = "/v1/events?type=quota.*";
  private static final int STORM = 200;
  private static final int CALLERS = 8;

  @Test
  void aStormOfRefusalsIsToldInFewEventsToItsTenantAlone() {
    Api api = InProcess.api();
    try (StateHub hub = StateHub.start(hubPort());
        WebhookReceiver receiver = WebhookReceiver.start()) {
      Api other = new Door(api).ofNewTenant("others").api();
      var _ = api.post("/v1/webhooks", hook(receiver));
      String held = api.ready().path("id").asText();
      try (SseListener mine = SseListener.open(api, "/v1/events/stream?type=quota.*", "");
          SseListener theirs = SseListener.open(other, "/v1/events/stream?cursor=0", "")) {
        assertThat(storm(api)).allSatisfy(RefusalsTest::isRefusal);
        List<JsonNode> told = awaitTold(api);
        checkNumbers(told);
        checkFacts(told.getFirst(), known(api));
        assertThat(mine.await(1, PATIENCE).getFirst().data())
            .contains(told.getFirst().path("id").asText());
        assertThat(receiver.await(1).getFirst().json().path("data")).isEqualTo(told.getFirst());
        checkNote(hub, told.getFirst());
        assertThat(theirs.heard()).isEmpty();
        assertThat(items(other.get("/v1/events"))).isEmpty();
        assertThat(items(api.get("/v1/sandboxes/" + held + "/events")))
            .extracting(event -> event.path("type").asText())
            .doesNotContain("quota.refused");
      }
      assertThat(new Door(other).send("ensure", Door.thread()).status())
          .as("another tenant's quota is its own")
          .isEqualTo(200);
    }
  }

  private static int hubPort() {
    return URI.create(ConfigProvider.getConfig().getValue(HUB, String.class)).getPort();
  }

  private static String hook(WebhookReceiver receiver) {
    return "{\"url\": \"%s\", \"types\": [\"quota.refused\"], \"profiles\": [\"profile.local\"]}"
        .formatted(receiver.url());
  }

  private static Api.Reply create(Api api) {
    return api.post("/v1/sandboxes", Api.create("local"));
  }

  private static List<Api.Reply> storm(Api api) {
    try (ExecutorService threads = Executors.newFixedThreadPool(CALLERS)) {
      return IntStream.range(0, STORM)
          .mapToObj(_ -> CompletableFuture.supplyAsync(() -> create(api), threads))
          .toList()
          .stream()
          .map(CompletableFuture::join)
          .toList();
    }
  }

  private static void isRefusal(Api.Reply reply) {
    assertThat(reply.status()).as(reply.text()).isEqualTo(429);
    assertThat(reply.code()).isEqualTo("QUOTA_EXCEEDED");
    assertThat(reply.json().has("limit")).isTrue();
  }

  private static List<JsonNode> awaitTold(Api api) {
    await().atMost(PATIENCE).until(() -> !items(api.get(REFUSED)).isEmpty());
    return items(api.get(REFUSED));
  }

  /** One a minute, so the storm is one event, or two where a minute ends in it. */
  private static void checkNumbers(List<JsonNode> told) {
    assertThat(told).hasSizeBetween(1, 2);
    assertThat(told)
        .extracting(event -> event.path("seq").asLong())
        .isEqualTo(LongStream.rangeClosed(1, told.size()).boxed().toList());
    assertThat(told)
        .extracting(event -> event.at("/detail/repeats").asLong())
        .first()
        .isEqualTo(0L);
  }

  private static void checkFacts(JsonNode event, List<String> known) {
    assertThat(event.path("subject").has("sandbox_id")).isFalse();
    assertThat(event.at("/subject/tenant").asText()).startsWith("ten_");
    assertThat(event.path("actor_type").asText()).isEqualTo("atm");
    assertThat(event.at("/consumer/project").asText()).isEqualTo("e2e");
    JsonNode detail = event.path("detail");
    assertThat(detail.path("setting").asText()).isEqualTo("SANDBOXER_MAX_LIVE");
    assertThat(detail.path("limit").asInt()).isEqualTo(1);
    assertThat(detail.path("in_use").asInt()).isEqualTo(1);
    assertThat(detail.path("profile_id").asText()).isEqualTo("profile.local");
    assertThat(known).containsAll(detail::fieldNames);
  }

  /** The fields that the type says it has. */
  private static List<String> known(Api api) {
    return items(api.get("/v1/events/types")).stream()
        .filter(type -> type.path("type").asText().equals("quota.refused"))
        .findFirst()
        .orElseThrow()
        .path("detail")
        .findValuesAsText("name");
  }

  private static void checkNote(StateHub hub, JsonNode event) {
    String tenant = event.at("/subject/tenant").asText();
    await().atMost(PATIENCE).until(() -> !hub.of(tenant).isEmpty());
    JsonNode note = hub.of(tenant).getFirst().path("progress");
    assertThat(note.path("event_type").asText()).isEqualTo("note");
    assertThat(note.path("summary").asText())
        .isEqualTo(
            "A quota of %s refused e2e (profile.local): %s"
                .formatted(tenant, event.at("/detail/error").asText()));
    assertThat(note.at("/detail/event_id").asText()).isEqualTo(event.path("id").asText());
    assertThat(note.path("detail").has("sandbox_id")).isFalse();
  }

  private static List<JsonNode> items(Api.Reply page) {
    List<JsonNode> items = new ArrayList<>();
    page.json().path("items").forEach(items::add);
    return items;
  }

  /** With a hub at a port of its own, and one sandbox for each tenant. */
  public static final class Profile extends InProcess {

    private final Map<String, String> settings =
        settings(Map.of(HUB, "http://127.0.0.1:" + FreePort.find(), "SANDBOXER_MAX_LIVE", "1"));

    @Override
    public Map<String, String> getConfigOverrides() {
      return settings;
    }
  }
}
