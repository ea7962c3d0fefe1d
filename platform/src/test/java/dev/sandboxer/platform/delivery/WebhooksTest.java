package dev.sandboxer.platform.delivery;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.platform.testing.InProcess;
import dev.sandboxer.testing.client.Api;
import dev.sandboxer.testing.client.EventTypes;
import dev.sandboxer.testing.client.WebhookReceiver;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A tenant's receivers get its events, signed, in order, and nobody is called who must not be. */
@QuarkusTest
@TestProfile(InProcess.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class WebhooksTest {

  private static final String HOOKS = "/v1/webhooks";
  private final Api api = InProcess.api();

  @AfterEach
  void endHooks() {
    for (JsonNode hook : api.get(HOOKS).json().path("items")) {
      assertThat(api.delete(HOOKS + "/" + hook.path("id").asText()).status()).isEqualTo(200);
    }
  }

  private JsonNode hook(WebhookReceiver receiver, String more) {
    return made(api, "{\"url\": \"%s\"%s}".formatted(receiver.url(), more));
  }

  private static JsonNode made(Api api, String body) {
    Api.Reply reply = api.post(HOOKS, body);
    assertThat(reply.status()).as(reply.text()).isEqualTo(201);
    return reply.json();
  }

  private static String path(JsonNode hook) {
    return HOOKS + "/" + hook.path("id").asText();
  }

  private Api.Reply patch(JsonNode hook, String body) {
    return api.send("PATCH", path(hook), body.getBytes(UTF_8));
  }

  private String live() {
    String id = api.ready().path("id").asText();
    assertThat(api.delete("/v1/sandboxes/" + id, "Prefer", "wait=30").status()).isEqualTo(200);
    return id;
  }

  private JsonNode awaitHook(JsonNode hook, String pointer, String value) {
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> api.get(path(hook)).field(pointer).equals(value));
    return api.get(path(hook)).json();
  }

  @Test
  void aLifeArrivesSignedAndInOrder() {
    try (WebhookReceiver receiver = WebhookReceiver.start()) {
      JsonNode hook = hook(receiver, "");
      String secret = hook.path("secret").asText();
      String id = live();
      List<WebhookReceiver.Delivery> got = receiver.await(EventTypes.LIFE.size());
      assertThat(got).extracting(WebhookReceiver.Delivery::type).isEqualTo(EventTypes.LIFE);
      assertThat(got).extracting(WebhookReceiver.Delivery::sandbox).containsOnly(id);
      assertThat(got).allMatch(delivery -> delivery.signedBy(secret));
      List<String> ids =
          api.get("/v1/sandboxes/" + id + "/events").json().findValuesAsText("id").stream()
              .filter(text -> text.startsWith("evt_"))
              .toList();
      assertThat(got).extracting(WebhookReceiver.Delivery::id).isEqualTo(ids);
      JsonNode ready = got.get(2).json();
      assertThat(Instant.parse(ready.path("timestamp").asText())).isBefore(Instant.now());
      assertThat(ready.path("data").path("seq").asInt()).isEqualTo(3);
      assertThat(ready.path("data").path("detail").has("reachability")).isTrue();
      assertThat(Long.parseLong(got.get(2).timestamp())).isPositive();
      awaitHook(hook, "/waiting", "0"); // a try is written down once it is answered
      JsonNode log = api.get(path(hook) + "/deliveries?limit=2").json();
      assertThat(log.at("/items/0/event_id").asText()).isEqualTo(ids.getLast());
      assertThat(log.at("/items/0/status").asInt()).isEqualTo(204);
      String cursor = log.path("next_cursor").asText();
      assertThat(
              api.get(path(hook) + "/deliveries?limit=3&cursor=" + cursor)
                  .json()
                  .findValuesAsText("event_id"))
          .isEqualTo(ids.subList(0, 3).reversed());
      noneHas(hook, secret);
    }
  }

  private void noneHas(JsonNode hook, String secret) {
    String key = secret.substring("whsec_".length());
    for (String path :
        List.of(path(hook), HOOKS, path(hook) + "/deliveries", "/v1/audit?limit=1000")) {
      assertThat(api.get(path).text()).as(path).doesNotContain(key);
    }
    assertThat(api.get("/v1/audit?limit=1000").text()).contains("webhook.create");
  }

  @Test
  void onlyWhatIsWantedArrives() {
    try (WebhookReceiver types = WebhookReceiver.start();
        WebhookReceiver profile = WebhookReceiver.start();
        WebhookReceiver all = WebhookReceiver.start()) {
      hook(types, ", \"types\": [\"sandbox.ready\", \"session.*\"]");
      JsonNode changed = hook(profile, ", \"profiles\": [\"other\"]");
      hook(all, ", \"types\": [\"sandbox.*\"], \"profiles\": [\"local\"]");
      live();
      assertThat(all.await(EventTypes.LIFE.size())).hasSize(EventTypes.LIFE.size());
      assertThat(types.await(1))
          .extracting(WebhookReceiver.Delivery::type)
          .containsExactly("sandbox.ready");
      awaitHook(changed, "/waiting", "0");
      assertThat(profile.got()).isEmpty();
      assertThat(patch(changed, "{\"profiles\": [], \"types\": [\"sandbox.failed\"]}").status())
          .isEqualTo(200);
      live();
      assertThat(all.await(2 * EventTypes.LIFE.size())).hasSize(2 * EventTypes.LIFE.size());
      assertThat(profile.got()).isEmpty();
    }
  }

  @Test
  void anotherTenantGetsAndSeesNothing() {
    assertThat(api.post("/v1/tenants", "{\"name\": \"hooks\"}").status()).isEqualTo(201);
    String key =
        api.post("/v1/keys", "{\"name\": \"h\", \"role\": \"operator\", \"tenant\": \"hooks\"}")
            .field("/key");
    Api other = api.withKey(key);
    try (WebhookReceiver mine = WebhookReceiver.start();
        WebhookReceiver theirs = WebhookReceiver.start()) {
      JsonNode hook = hook(mine, "");
      JsonNode stranger = made(other, "{\"url\": \"%s\"}".formatted(theirs.url()));
      live();
      String event = mine.await(EventTypes.LIFE.size()).getFirst().id();
      assertThat(theirs.got()).isEmpty();
      assertThat(other.get(HOOKS).json().path("items")).hasSize(1);
      for (String route : List.of("", "/deliveries")) {
        assertThat(other.get(path(hook) + route).status()).isEqualTo(404);
      }
      for (String route : List.of("/test", "/rotate-secret", "/deliveries/" + event + "/replay")) {
        assertThat(other.post(path(hook) + route, "{}").status()).as(route).isEqualTo(404);
      }
      assertThat(other.post(path(stranger) + "/deliveries/" + event + "/replay", "{}").status())
          .isEqualTo(404);
      assertThat(other.send("PATCH", path(hook), "{}".getBytes(UTF_8)).status()).isEqualTo(404);
      assertThat(other.delete(path(hook)).status()).isEqualTo(404);
      assertThat(api.get(path(hook)).status()).isEqualTo(200);
      assertThat(other.delete(path(stranger)).status()).isEqualTo(200);
    }
    String consumer =
        api.post("/v1/keys", "{\"name\": \"c\", \"role\": \"consumer\"}").field("/key");
    assertThat(api.withKey(consumer).get(HOOKS).code()).isEqualTo("FORBIDDEN");
  }

  @Test
  void whatFailsComesAgainWithTheSameIdBeforeWhatFollows() {
    try (WebhookReceiver receiver = WebhookReceiver.start()) {
      receiver.answer(
          delivery ->
              delivery.type().equals("sandbox.ready") && tries(receiver, delivery) < 2 ? 500 : 200);
      JsonNode hook = hook(receiver, "");
      live();
      List<WebhookReceiver.Delivery> got = receiver.await(EventTypes.LIFE.size() + 2);
      assertThat(got)
          .extracting(WebhookReceiver.Delivery::type)
          .containsExactly(
              EventTypes.LIFE.get(0),
              EventTypes.LIFE.get(1),
              EventTypes.LIFE.get(2),
              EventTypes.LIFE.get(2),
              EventTypes.LIFE.get(2),
              EventTypes.LIFE.get(3),
              EventTypes.LIFE.get(4));
      assertThat(got.subList(2, 5))
          .extracting(WebhookReceiver.Delivery::id)
          .containsOnly(got.get(2).id());
      assertThat(got).allMatch(delivery -> delivery.signedBy(hook.path("secret").asText()));
      JsonNode tries =
          api.get(path(hook) + "/deliveries?event_id=" + got.get(2).id()).json().path("items");
      assertThat(tries.findValuesAsText("attempt")).containsExactly("3", "2", "1");
      assertThat(tries.findValuesAsText("status")).containsExactly("200", "500", "500");
      assertThat(tries.get(1).path("error").asText()).isEqualTo("the receiver answered 500");
      assertThat(awaitHook(hook, "/failures", "0").path("failing_since").isNull()).isTrue();
    }
  }

  private static long tries(WebhookReceiver receiver, WebhookReceiver.Delivery delivery) {
    return receiver.got().stream().filter(before -> before.id().equals(delivery.id())).count();
  }

  @Test
  void oneThatIsGoneIsPausedAndGoesOnWhereItWas() {
    try (WebhookReceiver receiver = WebhookReceiver.start().answer(_ -> 410)) {
      JsonNode hook = hook(receiver, "");
      String id = live();
      JsonNode paused = awaitHook(hook, "/enabled", "false");
      assertThat(paused.path("paused_reason").asText()).contains("410");
      assertThat(paused.path("paused_at").asText()).endsWith("Z");
      awaitHook(hook, "/waiting", Integer.toString(EventTypes.LIFE.size()));
      assertThat(receiver.got()).hasSize(1);
      receiver.answer(_ -> 200);
      assertThat(patch(hook, "{\"enabled\": true}").json().path("paused_reason").isNull()).isTrue();
      List<WebhookReceiver.Delivery> got = receiver.await(1 + EventTypes.LIFE.size());
      assertThat(got.subList(1, got.size()))
          .extracting(WebhookReceiver.Delivery::type)
          .isEqualTo(EventTypes.LIFE);
      assertThat(got).extracting(WebhookReceiver.Delivery::sandbox).containsOnly(id);
    }
  }

  @Test
  void oneThatTakesNothingForAWholePlanIsPaused() {
    try (WebhookReceiver receiver = WebhookReceiver.start().answer(_ -> 503)) {
      JsonNode hook = hook(receiver, ", \"types\": [\"sandbox.ready\"]");
      live();
      JsonNode paused = awaitHook(hook, "/enabled", "false");
      assertThat(paused.path("paused_reason").asText()).contains("3 tries").contains("503");
      assertThat(receiver.got()).hasSize(3);
      assertThat(paused.path("waiting").asInt()).isEqualTo(1);
      assertThat(api.get("/v1/health/ready").text()).contains("1, 0 failing, 1 paused, 0 events");
      await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> api.get("/v1/metrics").text().contains("\nsandboxer_webhook_paused 1.0"));
      assertThat(api.post(path(hook) + "/test", "{}").field("/outcome")).isEqualTo("failed");
      receiver.answer(_ -> 200);
      assertThat(api.post(path(hook) + "/test", "{}").field("/outcome")).isEqualTo("delivered");
      assertThat(patch(hook, "{\"enabled\": true}").field("/enabled")).isEqualTo("true");
      assertThat(receiver.await(6).getLast().id()).isEqualTo(receiver.got().getFirst().id());
    }
  }

  @Test
  void oneEventThatNeverArrivesIsSetAsideAndHoldsUpNoOtherSandbox() {
    try (WebhookReceiver receiver = WebhookReceiver.start()) {
      JsonNode hook = hook(receiver, "");
      String[] poisoned = {""};
      receiver.answer(
          delivery -> {
            poisoned[0] = poisoned[0].isEmpty() ? delivery.sandbox() : poisoned[0];
            boolean bad =
                delivery.sandbox().equals(poisoned[0]) && delivery.type().equals("sandbox.ready");
            return bad ? 500 : 200;
          });
      live();
      await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> !live().isEmpty() && api.get(path(hook)).field("/parked").equals("1"));
      assertThat(api.get(path(hook)).field("/enabled")).isEqualTo("true");
      assertThat(typesOf(receiver, poisoned[0]))
          .containsExactly(
              EventTypes.LIFE.get(0),
              EventTypes.LIFE.get(1),
              EventTypes.LIFE.get(2),
              EventTypes.LIFE.get(2),
              EventTypes.LIFE.get(2));
      String event =
          receiver.got().stream()
              .filter(d -> d.sandbox().equals(poisoned[0]) && d.type().equals("sandbox.ready"))
              .findFirst()
              .orElseThrow()
              .id();
      String path = path(hook) + "/deliveries/" + event;
      assertThat(api.post(path + "/skip", "{}").status()).isEqualTo(204);
      assertThat(api.post(path + "/skip", "{}").code()).isEqualTo("INVALID_STATE");
      await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> typesOf(receiver, poisoned[0]).contains("sandbox.destroyed"));
      assertThat(typesOf(receiver, poisoned[0]).subList(5, 7))
          .isEqualTo(EventTypes.LIFE.subList(3, 5));
    }
  }

  private static List<String> typesOf(WebhookReceiver receiver, String sandbox) {
    return receiver.got().stream()
        .filter(delivery -> delivery.sandbox().equals(sandbox))
        .map(WebhookReceiver.Delivery::type)
        .toList();
  }

  @Test
  void noRedirectIsFollowed() {
    try (WebhookReceiver receiver = WebhookReceiver.start().answer(_ -> 302)) {
      JsonNode hook = hook(receiver, "");
      Api.Reply tried = api.post(path(hook) + "/test", "{}");
      assertThat(tried.field("/outcome")).isEqualTo("failed");
      assertThat(tried.field("/status")).isEqualTo("302");
      assertThat(receiver.got())
          .extracting(WebhookReceiver.Delivery::path)
          .containsExactly("/hook");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "https://10.0.0.1/, https on port 443 of a public address",
    "https://127.0.0.2/, https on port 443 of a public address",
    "https://0.0.0.0/, https on port 443 of a public address",
    "https://169.254.169.254/latest/meta-data, https on port 443 of a public address",
    "https://[::1]/, https on port 443 of a public address",
    "https://[::ffff:10.0.0.1]/, https on port 443 of a public address",
    "https://[::ffff:a9fe:a9fe]/, https on port 443 of a public address",
    "https://[64:ff9b::7f00:2]/, https on port 443 of a public address",
    "https://[fd00::1]/, https on port 443 of a public address",
    "http://8.8.8.8/, https on port 443 of a public address",
    "http://nowhere.invalid/, https on port 443 of a public address",
    "https://8.8.8.8:22/, https on port 443 of a public address",
    "https://user:pass@8.8.8.8/, neither user and password",
    "https://8.8.8.8/#part, fragment",
    "https://2130706433/, such as https",
    "ftp://8.8.8.8/, such as https"
  })
  void whatIsNotForTenantsIsRefused(String url, String reason) {
    Api.Reply refused = api.post(HOOKS, "{\"url\": \"%s\"}".formatted(url));
    assertThat(refused.code()).as(refused.text()).isEqualTo("VALIDATION");
    assertThat(refused.text()).contains(reason);
    JsonNode fine = made(api, "{\"url\": \"https://8.8.8.8/\", \"enabled\": false}");
    assertThat(patch(fine, "{\"url\": \"%s\"}".formatted(url)).code()).isEqualTo("VALIDATION");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{\"url\": 1}",
        "{\"url\": \"https://8.8.8.8/\", \"secret\": \"whsec_c2hvcnQ=\"}",
        "{\"url\": \"https://8.8.8.8/\", \"secret\": \"hunter2hunter2hunter2hunter2\"}",
        "{\"url\": \"https://8.8.8.8/\", \"types\": [\"Sandbox\"]}",
        "{\"url\": \"https://8.8.8.8/\", \"types\": \"sandbox.*\"}",
        "{\"url\": \"https://8.8.8.8/\", \"types\": [\"sandbox.*\", \"sandbox.reday\"]}",
        "{\"url\": \"https://8.8.8.8/\", \"profiles\": [\"../x\"]}",
        "{\"url\": \"https://8.8.8.8/\", \"enabled\": \"yes\"}",
        "{\"url\": \"https://8.8.8.8/\", \"description\": \"a\\nb\"}",
        "{\"url\": \"https://8.8.8.8/\", \"headers\": {}}"
      })
  void refusesWhatItDoesNotUnderstand(String body) {
    Api.Reply refused = api.post(HOOKS, body);
    assertThat(refused.code()).as(refused.text()).isEqualTo("VALIDATION");
    assertThat(refused.text()).doesNotContain("hunter2").doesNotContain("c2hvcnQ=");
    assertThat(api.get(HOOKS).json().path("items")).isEmpty();
  }

  @Test
  void bothSecretsSignWhileOneIsReplaced() {
    try (WebhookReceiver receiver = WebhookReceiver.start()) {
      String given = "whsec_" + Base64.getEncoder().encodeToString(new byte[24]);
      JsonNode hook = hook(receiver, ", \"secret\": \"" + given + "\"");
      assertThat(hook.path("secret").asText()).isEqualTo(given);
      assertThat(hook.path("old_secret_until").isNull()).isTrue();
      Api.Reply rotated = api.post(path(hook) + "/rotate-secret", "{}");
      String fresh = rotated.field("/secret");
      Instant until = Instant.parse(rotated.field("/old_secret_until"));
      assertThat(until)
          .isBetween(Instant.now().plusSeconds(86_000), Instant.now().plusSeconds(86_400));
      api.post(path(hook) + "/test", "{}");
      WebhookReceiver.Delivery both = receiver.await(1).getFirst();
      assertThat(both.signatures().split(" ", -1)).hasSize(2);
      assertThat(both.signedBy(given)).isTrue();
      assertThat(both.signedBy(fresh)).isTrue();
      String third = api.post(path(hook) + "/rotate-secret", "{}").field("/secret");
      api.post(path(hook) + "/test", "{}");
      WebhookReceiver.Delivery last = receiver.await(2).getLast();
      assertThat(Stream.of(given, fresh, third).map(last::signedBy))
          .containsExactly(false, true, true);
      for (String secret : List.of(given, fresh, third)) {
        noneHas(hook, secret);
      }
    }
  }

  @Test
  void whatArrivedIsSentAgainOnRequest() {
    try (WebhookReceiver receiver = WebhookReceiver.start()) {
      JsonNode hook = hook(receiver, ", \"types\": [\"sandbox.ready\"]");
      live();
      WebhookReceiver.Delivery first = receiver.await(1).getFirst();
      awaitHook(hook, "/waiting", "0");
      Api.Reply again = api.post(path(hook) + "/deliveries/" + first.id() + "/replay", "{}");
      assertThat(again.field("/outcome")).isEqualTo("delivered");
      assertThat(again.field("/event_id")).isEqualTo(first.id());
      assertThat(receiver.await(2).getLast().body()).isEqualTo(first.body());
      JsonNode log = api.get(path(hook) + "/deliveries").json().path("items");
      assertThat(log.findValuesAsText("cause")).containsExactly("replay", "event");

      assertThat(patch(hook, "{\"enabled\": false}").json().path("paused_reason").isNull())
          .isTrue();
      String id = live();
      String waiting = api.get("/v1/sandboxes/" + id + "/events").json().at("/items/2/id").asText();
      awaitHook(hook, "/waiting", "1");
      assertThat(
              api.post(path(hook) + "/deliveries/" + waiting + "/replay", "{}").field("/outcome"))
          .isEqualTo("queued");
      assertThat(receiver.got()).hasSize(2);
      assertThat(patch(hook, "{\"enabled\": true}").status()).isEqualTo(200);
      assertThat(receiver.await(3).getLast().id()).isEqualTo(waiting);
      assertThat(
              api.post(path(hook) + "/deliveries/evt_a0000000000000000000/replay", "{}").status())
          .isEqualTo(404);
    }
  }

  @Test
  void whatArrivedIsSentAgainAlsoWhileWhatFollowsIsBeingSent() throws InterruptedException {
    CountDownLatch held = new CountDownLatch(1);
    CountDownLatch released = new CountDownLatch(1);
    try (WebhookReceiver receiver = WebhookReceiver.start()) {
      JsonNode hook = hook(receiver, ", \"enabled\": false");
      live();
      awaitHook(hook, "/waiting", Integer.toString(EventTypes.LIFE.size()));
      receiver.answer(
          delivery -> {
            if (delivery.type().equals("sandbox.ready")) {
              held.countDown();
              waitFor(released);
            }
            return 200;
          });
      assertThat(patch(hook, "{\"enabled\": true}").status()).isEqualTo(200);
      assertThat(held.await(1, TimeUnit.MINUTES)).isTrue();
      String first = receiver.got().getFirst().id();
      Api.Reply again = api.post(path(hook) + "/deliveries/" + first + "/replay", "{}");
      assertThat(again.field("/outcome")).as(again.text()).isEqualTo("delivered");
      released.countDown();
      awaitHook(hook, "/waiting", "0");
      assertThat(receiver.got().stream().filter(one -> one.id().equals(first))).hasSize(2);
    } finally {
      released.countDown();
    }
  }

  private static void waitFor(CountDownLatch latch) {
    try {
      var _ = latch.await(1, TimeUnit.MINUTES);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void aTestSaysHowItWentAndWhatIsRepeatedMakesNoSecond() {
    try (WebhookReceiver receiver = WebhookReceiver.start()) {
      String body = "{\"url\": \"%s\"}".formatted(receiver.url());
      Api.Reply first = api.post(HOOKS, body, "Idempotency-Key", "hook-1");
      Api.Reply second = api.post(HOOKS, body, "Idempotency-Key", "hook-1");
      assertThat(second.field("/id")).isEqualTo(first.field("/id"));
      assertThat(second.json().has("secret")).isFalse();
      Api.Reply tried = api.post(path(first.json()) + "/test", "{}");
      assertThat(tried.field("/outcome")).isEqualTo("delivered");
      WebhookReceiver.Delivery got = receiver.await(1).getFirst();
      assertThat(got.id()).isEqualTo(tried.field("/event_id"));
      assertThat(got.type()).isEqualTo("webhook.test");
      assertThat(got.json().at("/data/webhook_id").asText()).isEqualTo(first.field("/id"));
      receiver.stop();
      Api.Reply gone = api.post(path(first.json()) + "/test", "{}");
      assertThat(gone.field("/outcome")).isEqualTo("failed");
      assertThat(gone.field("/error")).isEqualTo("the receiver could not be connected to");
    }
  }

  @Test
  void aTenantHasNoMoreThanTwenty() {
    for (int i = 0; i < 20; i++) {
      made(api, "{\"url\": \"https://8.8.8.8/\", \"enabled\": false}");
    }
    assertThat(api.post(HOOKS, "{\"url\": \"https://8.8.8.8/\"}").code())
        .isEqualTo("QUOTA_EXCEEDED");
    String events = "/v1/events?type=quota.refused";
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> api.get(events).json().at("/items/0").isObject());
    JsonNode refused = api.get(events).json().at("/items/0");
    assertThat(refused.at("/detail/quota").asText()).isEqualTo("webhooks");
    assertThat(refused.at("/detail/in_use").asInt()).isEqualTo(20);
    assertThat(refused.path("consumer").isEmpty()).isTrue();
  }
}
