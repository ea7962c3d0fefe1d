package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.testing.client.Api;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** The whole path: create, use, look, recreate, expire, destroy. */
@OnEveryBackend
class FirstSandboxTest {

  @Parameter private Backend backend;

  private Platform platform;
  private Api api;

  @BeforeAll
  void start() {
    platform = Platform.start(Map.of());
    api = platform.api();
  }

  @AfterAll
  void stop() {
    platform.close();
  }

  @Test
  void runsARealProgramAndLeavesNothing() {
    JsonNode sandbox = api.ready(backend.profile());
    String id = sandbox.path("id").asText();
    assertThat(sandbox.path("state").asText()).isEqualTo("ready");
    assertThat(sandbox.path("extension_id").asText()).isEqualTo(backend.extension());
    assertThat(backend.objectsOf(id)).hasSize(1);

    Api.Dataplane inside = api.access(id);
    assertThat(inside.upload("in.txt", "hello\n".getBytes(StandardCharsets.UTF_8)).status())
        .isBetween(200, 204);
    Api.Reply run = inside.exec("sh", "-c", "tr a-z A-Z < in.txt > out.txt; echo done; exit 7");
    assertThat(run.status()).as(run.text()).isEqualTo(200);
    assertThat(run.json().path("exit_code").asInt()).isEqualTo(7);
    assertThat(run.field("/stdout")).isEqualTo("done\n");
    assertThat(inside.download("out.txt").text()).isEqualTo("HELLO\n");

    Api.Reply deleted = api.delete("/v1/sandboxes/" + id, "Prefer", "wait=60");
    assertThat(deleted.status()).as(deleted.text()).isEqualTo(200);
    assertThat(deleted.field("/state")).isEqualTo("destroyed");
    assertThat(deleted.field("/end_reason")).isEqualTo("requested");
    assertThat(deleted.field("/cleanup")).isEqualTo("done");
    assertThat(backend.objectsOf(id)).isEmpty();
    assertThat(backend.processesOf(id)).isEmpty();
    assertThat(inside.exec("true").status()).isEqualTo(401);
    assertThat(api.get("/v1/sandboxes/" + id).field("/state")).isEqualTo("destroyed");
    assertThat(api.delete("/v1/sandboxes/" + id).status()).isEqualTo(200);
  }

  @Test
  void answersAtOnceAndLetsItBeAwaited() {
    Api.Reply created = api.post("/v1/sandboxes", Api.create(backend.profile()));
    assertThat(created.status()).as(created.text()).isEqualTo(202);
    String id = created.field("/id");
    Api.Reply ready = api.get("/v1/sandboxes/" + id, "Prefer", "wait=60");
    assertThat(ready.field("/state")).isEqualTo("ready");
    assertThat(ready.headers().firstValue("Preference-Applied")).hasValue("wait=60");
  }

  @Test
  void firstUseMakesItActive() {
    String id = api.ready(backend.profile()).path("id").asText();
    assertThat(api.access(id).exec("true").status()).isEqualTo(200);
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> api.get("/v1/sandboxes/" + id).field("/state").equals("active"));
  }

  @Test
  void activateIsRepeatable() {
    String id = api.ready(backend.profile()).path("id").asText();
    String path = "/v1/sandboxes/" + id + "/activate";
    assertThat(api.post(path, "{}").field("/state")).isEqualTo("active");
    assertThat(api.post(path, "{}").field("/state")).isEqualTo("active");
  }

  @Test
  void environmentReachesTheCommandAndIsNotShown() {
    Api.Reply created =
        api.post(
            "/v1/sandboxes",
            """
            {"profile": "PROFILE", "consumer": {"actor": "agt", "project": "e2e"},
             "env": {"GREETING": "hi there"}}
            """
                .replace("PROFILE", backend.profile()),
            "Prefer",
            "wait=60");
    assertThat(created.status()).as(created.text()).isEqualTo(201);
    assertThat(created.text()).doesNotContain("hi there");
    assertThat(created.json().path("env_names").toString()).contains("GREETING");
    assertThat(api.access(created.field("/id")).exec("sh", "-c", "echo $GREETING").field("/stdout"))
        .isEqualTo("hi there\n");
  }

  @Test
  void recreateIsANewGenerationWithNothingOfTheOldOne() {
    String id = api.ready(backend.profile()).path("id").asText();
    Api.Dataplane before = api.access(id);
    assertThat(before.upload("kept.txt", new byte[] {1}).status()).isBetween(200, 204);
    String path = "/v1/sandboxes/" + id + "/recreate";
    assertThat(api.post(path, "{}").status()).isEqualTo(428);
    assertThat(api.post(path, "{}", "If-Match", "7").status()).isEqualTo(412);
    Api.Reply again = api.post(path, "{}", "If-Match", "1", "Prefer", "wait=60");
    assertThat(again.status()).as(again.text()).isEqualTo(201);
    assertThat(again.json().path("generation").asInt()).isEqualTo(2);
    assertThat(before.exec("true").status()).as("a token of generation 1").isEqualTo(401);
    assertThat(api.access(id).download("kept.txt").status()).isEqualTo(404);
    await().atMost(Duration.ofSeconds(60)).until(() -> backend.objectsOf(id).size() == 1);
  }

  @Test
  void ttlEndsItAndExtendTtlMovesTheEnd() {
    Api.Reply short1 =
        api.post(
            "/v1/sandboxes",
            """
            {"profile": "PROFILE", "consumer": {"actor": "atm", "project": "e2e"}, "ttl_seconds": 1}
            """
                .replace("PROFILE", backend.profile()));
    String id = short1.field("/id");
    String longer = api.ready(backend.profile()).path("id").asText();
    String before = api.get("/v1/sandboxes/" + longer).field("/expires_at");
    Api.Reply extended =
        api.post("/v1/sandboxes/" + longer + "/extend-ttl", "{\"ttl_seconds\": 7200}");
    assertThat(extended.field("/expires_at")).isGreaterThan(before);
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> api.get("/v1/sandboxes/" + id).field("/state").equals("destroyed"));
    assertThat(api.get("/v1/sandboxes/" + id).field("/end_reason")).isEqualTo("ttl");
    assertThat(backend.objectsOf(id)).isEmpty();
  }

  @Test
  void listsByFilterInPages() {
    for (int i = 0; i < 3; i++) {
      assertThat(api.post("/v1/sandboxes", paged(i)).status()).isEqualTo(202);
    }
    Api.Reply first = api.get("/v1/sandboxes?project=paging-" + backend + "&limit=2");
    assertThat(first.json().path("items")).hasSize(2);
    Api.Reply second =
        api.get(
            "/v1/sandboxes?project=paging-"
                + backend
                + "&limit=2&cursor="
                + first.field("/next_cursor"));
    assertThat(second.json().path("items")).hasSize(1);
    assertThat(second.json().path("next_cursor").isNull()).isTrue();
    assertThat(api.get("/v1/sandboxes?label=n:1-" + backend).json().path("items")).hasSize(1);
    assertThat(api.get("/v1/sandboxes?run_id=r2-" + backend).json().path("items")).hasSize(1);
  }

  @Test
  void aRepeatedCreateIsTheSameSandbox() {
    String key = "\"k-" + System.nanoTime() + "\"";
    Api.Reply first =
        api.post("/v1/sandboxes", Api.create(backend.profile()), "Idempotency-Key", key);
    Api.Reply again =
        api.post(
            "/v1/sandboxes",
            Api.create(backend.profile()),
            "Idempotency-Key",
            key,
            "Prefer",
            "wait=60");
    assertThat(again.status()).isEqualTo(201);
    assertThat(again.field("/id")).isEqualTo(first.field("/id"));
    assertThat(again.headers().firstValue("Idempotency-Replayed")).hasValue("true");
    Api.Reply other =
        api.post(
            "/v1/sandboxes",
            Api.create(backend.profile()).replace("e2e", "other"),
            "Idempotency-Key",
            key);
    assertThat(other.status()).isEqualTo(422);
    assertThat(other.code()).isEqualTo("IDEMPOTENCY_KEY_REUSED");
  }

  private String paged(int number) {
    return """
        {"profile": "PROFILE", "consumer": {"actor": "atm", "project": "paging-BACKEND", "run_id": "rNUMBER-BACKEND"},
         "labels": {"n": "NUMBER-BACKEND"}}
        """
        .replace("PROFILE", backend.profile())
        .replace("BACKEND", backend.toString())
        .replace("NUMBER", Integer.toString(number));
  }
}
