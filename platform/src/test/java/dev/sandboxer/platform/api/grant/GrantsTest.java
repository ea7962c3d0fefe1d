package dev.sandboxer.platform.api.grant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.platform.testing.InProcess;
import dev.sandboxer.testing.client.Api;
import dev.sandboxer.testing.client.Door;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** The grant door, with a strategy by which threads of an assistant share a sandbox. */
@QuarkusTest
@TestProfile(GrantsTest.Profile.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class GrantsTest {

  private final Door door = new Door(InProcess.api());

  private static String assistant(String id) {
    return ", \"assistant_id\": \"" + id + "\"";
  }

  @Test
  void aGrantHasTheFieldsOfTheProtocol() {
    JsonNode grant = Door.ok(user("fields").acquire("th-1", assistant("a-fields")));
    assertThat(grant.path("sandbox_id").asText()).startsWith("sb_");
    assertThat(grant.path("http_url").asText()).endsWith("/v1");
    assertThat(grant.path("ws_url").asText()).startsWith("ws");
    assertThat(grant.path("scopes").toString())
        .isEqualTo("[\"fs:read\",\"fs:write\",\"shell:exec\",\"process\",\"port\"]");
    assertThat(grant.path("refresh_url").asText()).isEqualTo("/sandbox/refresh");
    assertThat(grant.path("protocol_version").asText()).isEqualTo("1.0");
    assertThat(grant.path("session_id").asText()).startsWith("ssn_");
    assertThat(door.inside(grant).exec("echo", "in").field("/stdout")).isEqualTo("in\n");
  }

  @Test
  void scopesSayNoLessThanTheTokenMayDo() {
    Door exec = door.withNewKey("consumer", ", \"capabilities\": [\"exec\"]");
    JsonNode grant = Door.ok(exec.acquire("th-exec", assistant("a-exec")));
    assertThat(grant.path("scopes").toString()).isEqualTo("[\"exec\"]");
    assertThat(exec.inside(grant).exec("echo", "in").field("/stdout")).isEqualTo("in\n");
    Door processes = door.withNewKey("consumer", ", \"capabilities\": [\"process\", \"shell\"]");
    JsonNode other = Door.ok(processes.acquire("th-process", assistant("a-process")));
    assertThat(other.path("scopes").toString()).isEqualTo("[\"shell\",\"process\"]");
  }

  @Test
  void anUnknownFieldIsIgnoredWithAWarning() {
    Door mine = user("newer");
    JsonNode grant = Door.ok(mine.acquire("th-new", assistant("newer") + ", \"colour\": 1"));
    assertThat(grant.path("warnings").toString())
        .isEqualTo("[\"unknown fields were ignored: colour\"]");
    JsonNode renewed =
        Door.ok(
            mine.api()
                .post(
                    "/sandbox/refresh",
                    "{\"token\": \"%s\", \"shade\": {}}".formatted(grant.path("token").asText())));
    assertThat(renewed.path("warnings").toString()).contains("ignored: shade");
    String release =
        "{\"session_id\": \"%s\", \"colour\": 1}".formatted(grant.path("session_id").asText());
    assertThat(mine.api().post("/sandbox/release", release).status()).isEqualTo(204);
  }

  /** A door with a key of its own, so that its limits are its own. */
  private Door user(String name) {
    return door.withNewKey("consumer", ", \"user\": \"" + name + "\"");
  }

  @Test
  void threadsOfAnAssistantShareASandboxAndOneThatEndedIsNotRenewed() {
    Door mine = user("sharer");
    JsonNode one = Door.ok(mine.acquire("th-a", assistant("shared")));
    JsonNode two = Door.ok(mine.acquire("th-b", assistant("shared") + ", \"run_id\": \"r-1\""));
    assertThat(two.path("sandbox_id")).isEqualTo(one.path("sandbox_id"));
    assertThat(two.path("session_id")).isEqualTo(one.path("session_id"));

    assertThat(mine.api().post("/v1/sandbox/scopes/run/r-1/end", "{}").status()).isEqualTo(200);
    assertThat(refresh(mine, two).status()).isEqualTo(410);
    JsonNode again = Door.ok(refresh(mine, one));
    assertThat(again.path("token")).isNotEqualTo(one.path("token"));
    assertThat(mine.api().post("/v1/sandbox/scopes/thread/th-a/end", "{}").status()).isEqualTo(200);
    assertThat(refresh(mine, again).status()).isEqualTo(410);
    assertThat(door.inside(again).exec("true").status()).as("the others go on").isEqualTo(200);
  }

  @Test
  void theSharedSessionsOwnTokensNameNoThreadOrRunThatHasEnded() {
    Door mine = user("renewer");
    JsonNode grant = Door.ok(mine.acquire("th-e", assistant("renewed") + ", \"run_id\": \"r-e\""));
    String id = grant.path("session_id").asText();
    JsonNode before = claims(mine.on(id, "refresh"));
    assertThat(before.path("thread_id").asText()).isEqualTo("th-e");
    assertThat(before.path("run_id").asText()).isEqualTo("r-e");

    assertThat(mine.api().post("/v1/sandbox/scopes/run/r-e/end", "{}").status()).isEqualTo(200);
    JsonNode between = claims(mine.on(id, "refresh"));
    assertThat(between.path("thread_id").asText()).isEqualTo("th-e");
    assertThat(between.has("run_id")).as(between.toString()).isFalse();

    assertThat(mine.api().post("/v1/sandbox/scopes/thread/th-e/end", "{}").status()).isEqualTo(200);
    JsonNode after = claims(mine.on(id, "refresh"));
    assertThat(after.has("thread_id")).as(after.toString()).isFalse();
  }

  private static JsonNode claims(Api.Reply refreshed) {
    String[] parts = Door.ok(refreshed).path("token").asText().split("\\.", -1);
    try {
      return Api.JSON.readTree(Base64.getUrlDecoder().decode(parts[1]));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Api.Reply refresh(Door with, JsonNode grant) {
    return with.api()
        .post("/sandbox/refresh", "{\"token\": \"%s\"}".formatted(grant.path("token").asText()));
  }

  @Test
  void aRefreshWantsTheTokenAndTheCallersOwnKey() {
    Door mine = user("keeper");
    JsonNode grant = Door.ok(mine.acquire("th-k", assistant("kept")));
    String token = grant.path("token").asText();
    assertThat(refresh(mine, grant).status()).isEqualTo(200);
    assertThat(mine.api().post("/sandbox/refresh", "{}").status()).as("no token").isEqualTo(401);
    assertThat(mine.api().withKey(token).post("/sandbox/refresh", "{}").status())
        .as("the token alone")
        .isEqualTo(401);
    assertThat(refresh(user("thief"), grant).status()).as("another key").isEqualTo(403);
    assertThat(
            mine.api()
                .withKey(token)
                .post("/sandbox/refresh", "{}", "X-API-KEY", mine.api().key())
                .status())
        .as("the token in the header, the key beside it")
        .isEqualTo(200);
    String path = "/v1/sandbox/sessions/" + grant.path("session_id").asText();
    for (String verb : new String[] {"/refresh", "/refresh-token", "/heartbeat"}) {
      assertThat(mine.api().withKey(token).post(path + verb, "{}").status()).isEqualTo(401);
    }
    assertThat(mine.api().withKey(token).get("/v1/sandboxes").status()).isEqualTo(401);
  }

  @Test
  void releaseTearsDown() {
    Door mine = user("leaver");
    JsonNode grant = Door.ok(mine.acquire("th-r", assistant("released")));
    String body = "{\"sandbox_id\": \"%s\"}".formatted(grant.path("sandbox_id").asText());
    Api.Reply foreign = door.ofNewTenant("stranger").api().post("/sandbox/release", body);
    assertThat(foreign.status()).as("of another tenant").isEqualTo(404);
    assertThat(foreign.code()).isEqualTo("SESSION_NOT_FOUND");
    assertThat(door.inside(grant).exec("true").status()).isEqualTo(200);
    assertThat(mine.api().post("/sandbox/release", body).status()).isEqualTo(204);
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> door.sandboxState(grant.path("sandbox_id").asText()).equals("destroyed"));
    assertThat(refresh(mine, grant).status()).isEqualTo(410);
    assertThat(mine.api().post("/sandbox/release", body).status()).as("again").isEqualTo(204);
    assertThat(mine.api().post("/sandbox/release", "{}").status()).isEqualTo(400);
  }

  @Test
  void theStrategyNeedsWhatItBindsTo() {
    Api.Reply reply = user("vague").acquire("th-v", "");
    assertThat(reply.status()).isEqualTo(400);
    assertThat(reply.field("/detail")).contains("assistant_id");
  }

  @Test
  void aUserHoldsNoMoreThanItsShare() {
    Door mine = user("greedy");
    assertThat(mine.acquire("th", assistant("g1")).status()).isEqualTo(200);
    assertThat(mine.acquire("th", assistant("g2")).status()).isEqualTo(200);
    Api.Reply third = mine.acquire("th", assistant("g3"));
    assertThat(third.status()).as(third.text()).isEqualTo(429);
    assertThat(third.code()).isEqualTo("QUOTA_EXCEEDED");
    assertThat(third.headers().firstValue("RateLimit-Policy").orElse("")).contains("\"user\";q=40");
    await()
        .atMost(Duration.ofSeconds(60))
        .until(
            () -> door.api().get("/v1/events?type=quota.refused").json().at("/items/0").isObject());
    JsonNode told = door.api().get("/v1/events?type=quota.refused").json().path("items");
    assertThat(told).hasSize(1);
    assertThat(told.at("/0/detail/setting").asText()).isEqualTo("SANDBOXER_MAX_LIVE_USER");
    assertThat(told.at("/0/detail/user_id").asText()).isEqualTo("greedy");
    assertThat(told.at("/0/detail/in_use").asInt()).isEqualTo(2);
    assertThat(user("modest").acquire("th", assistant("m1")).status()).isEqualTo(200);
  }

  @Test
  void aUserAsksNoMoreOftenThanItMay() {
    Door mine = user("hasty");
    Api.Reply last = mine.send("get", "nothing");
    for (int i = 0; i < 100 && last.status() == 404; i++) {
      last = mine.send("get", "nothing");
    }
    assertThat(last.status()).isEqualTo(429);
    assertThat(last.code()).isEqualTo("RATE_LIMITED");
    assertThat(last.headers().firstValue("Retry-After")).isPresent();
    assertThat(last.headers().firstValue("RateLimit").orElse("")).contains("\"user\";r=0");
    assertThat(user("patient").send("get", "nothing").status()).isEqualTo(404);
  }

  /** By which threads of an assistant share a sandbox. */
  public static final class Profile extends InProcess {

    @Override
    public Map<String, String> getConfigOverrides() {
      return settings(
          Map.of(
              "SANDBOXER_SCOPE_STRATEGY", "assistant",
              "SANDBOXER_MAX_LIVE_USER", "2",
              "SANDBOXER_USER_RATE", "40"));
    }
  }
}
