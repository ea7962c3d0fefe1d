package dev.sandboxer.platform.api.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.platform.testing.InProcess;
import dev.sandboxer.testing.client.Api;
import dev.sandboxer.testing.client.Door;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The session door: both shapes, refresh, heartbeat, release, and the errors. */
@QuarkusTest
@TestProfile(InProcess.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SessionsTest {

  /** Byte for byte as the protocol's text has them. */
  private static final String SHORT_GET =
      "{\n  \"thread_id\": \"thr_123\",\n  \"mode\": \"get\"\n}\n";

  private static final String FULL =
      """
      {
        "scope": { "type": "thread", "id": "thr_123" },
        "mode": "ensure",
        "actor": { "type": "human", "id": "usr_1" },
        "requested_capabilities": ["fs_read", "fs_write", "shell", "exec"],
        "sandbox_hint": "optional-existing-sandbox",
        "provider_preference": "auto"
      }
      """;

  private final Api api = InProcess.api();
  private final Door door = new Door(api);

  /** A client that knows the short shape alone, and wants each of its fields as text. */
  private record StrictClient(JsonNode reply) {

    void check() {
      for (String field : Set.of("/session_id", "/thread_id", "/token", "/expires_at")) {
        assertThat(reply.at(field).isTextual()).as(field).isTrue();
      }
      for (String field : Set.of("id", "provider", "http_base_url", "ws_base_url")) {
        assertThat(reply.at("/sandbox/" + field).isTextual()).as(field).isTrue();
      }
      assertThat(reply.at("/sandbox/http_base_url").asText()).matches("https?://.*/v1");
      assertThat(reply.at("/sandbox/ws_base_url").asText()).matches("wss?://.*/v1");
      assertThat(Instant.parse(reply.path("expires_at").asText())).isAfter(Instant.now());
    }
  }

  @Test
  void theRequestsOfTheProtocolByteForByte() {
    Api.Reply none = api.send("POST", Door.PATH, bytes(SHORT_GET));
    assertThat(none.status()).as(none.text()).isEqualTo(404);
    assertThat(none.code()).isEqualTo("SESSION_NOT_FOUND");

    Api.Reply made =
        api.send(
            "POST",
            Door.PATH,
            bytes(SHORT_GET.replace("\"get\"", "\"ensure\"")),
            "Idempotency-Key",
            UUID.randomUUID().toString());
    assertThat(made.status()).as(made.text()).isEqualTo(200);
    new StrictClient(made.json()).check();
    String id = made.field("/session_id");
    assertThat(door.inside(made.json()).exec("echo", "hi").field("/stdout")).isEqualTo("hi\n");

    Api.Reply got = api.send("POST", Door.PATH, bytes(SHORT_GET));
    new StrictClient(got.json()).check();
    assertThat(got.field("/session_id")).isEqualTo(id);

    Api.Reply full = api.send("POST", Door.PATH, bytes(FULL));
    assertThat(full.status()).as(full.text()).isEqualTo(200);
    assertThat(full.field("/binding/id")).isEqualTo(id);
    assertThat(full.field("/binding/state")).isEqualTo("active");
    assertThat(full.field("/binding/scope/type")).isEqualTo("thread");
    assertThat(full.field("/credentials/token_type")).isEqualTo("Bearer");
    assertThat(texts(full.json().at("/credentials/granted_capabilities")))
        .containsExactlyInAnyOrder("fs_read", "fs_write", "shell", "exec");
    assertThat(full.json().at("/policy/idle_timeout_seconds").asLong()).isEqualTo(900);
    assertThat(full.json().at("/policy/hard_ttl_seconds").asLong()).isEqualTo(28_800);
    assertThat(full.json().path("warnings").toString()).contains("sandbox_hint");

    Api.Reply refreshed = api.send("POST", Door.PATH + "/" + id + "/refresh", bytes("{}"));
    assertThat(refreshed.status()).as(refreshed.text()).isEqualTo(200);
    assertThat(refreshed.field("/token")).isNotEqualTo(made.field("/token"));
    assertThat(Instant.parse(refreshed.field("/expires_at"))).isAfter(Instant.now());

    Api.Reply released = door.release(id);
    assertThat(released.status()).isEqualTo(204);
    assertThat(released.text()).isEmpty();
    assertThat(door.on(id, "refresh").status()).isEqualTo(410);
    assertThat(door.on(id, "refresh").code()).isEqualTo("SESSION_EXPIRED");
    assertThat(door.on(id, "heartbeat").status()).isEqualTo(410);
    assertThat(door.look(id).field("/binding/state")).isEqualTo("terminated");
    assertThat(api.send("POST", Door.PATH, bytes(SHORT_GET)).status()).isEqualTo(404);
    gone(made.field("/sandbox/id"), "released");
  }

  private void gone(String sandbox, String reason) {
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> door.sandboxState(sandbox).equals("destroyed"));
    assertThat(api.get("/v1/sandboxes/" + sandbox).field("/end_reason")).isEqualTo(reason);
    assertThat(InProcess.boxdOf(sandbox)).isEmpty();
  }

  @Test
  void oneScopeOneSandboxHoweverManyAsk() {
    String thread = Door.thread();
    var calls =
        IntStream.range(0, 32)
            .mapToObj(n -> CompletableFuture.supplyAsync(() -> door.ensure(thread)))
            .toList();
    Set<String> ids = new TreeSet<>();
    calls.forEach(
        call ->
            ids.add(
                call.join().path("session_id").asText() + call.join().at("/sandbox/id").asText()));
    assertThat(ids).hasSize(1);
  }

  @Test
  void aDeadSandboxIsNeverHandedOut() {
    String thread = Door.thread();
    JsonNode first = door.ensure(thread);
    assertThat(api.delete("/v1/sandboxes/" + first.at("/sandbox/id").asText()).status())
        .isIn(200, 202);
    JsonNode second = door.ensure(thread);
    assertThat(second.at("/sandbox/id")).isNotEqualTo(first.at("/sandbox/id"));
    assertThat(door.inside(second).exec("true").status()).isEqualTo(200);
    assertThat(door.inside(first).exec("true").status()).isEqualTo(401);

    String sandbox = second.at("/sandbox/id").asText();
    InProcess.boxdOf(sandbox).forEach(ProcessHandle::destroyForcibly);
    await().atMost(Duration.ofMinutes(1)).until(() -> door.sandboxState(sandbox).equals("failed"));
    assertThat(door.look(second.path("session_id").asText()).field("/binding/state"))
        .isEqualTo("failed");
    JsonNode third = door.ensure(thread);
    assertThat(third.at("/sandbox/id").asText()).isNotEqualTo(sandbox);
    assertThat(door.inside(third).exec("true").status()).isEqualTo(200);
  }

  @Test
  void whoWaitsNotIsToldThatItStarts() {
    String thread = Door.thread();
    Api.Reply starting = door.send("ensure", thread, "Prefer", "wait=0");
    assertThat(starting.status()).as(starting.text()).isEqualTo(423);
    assertThat(starting.code()).isEqualTo("SANDBOX_STARTING");
    assertThat(starting.headers().firstValue("Retry-After")).hasValue("1");
    assertThat(starting.json().at("/error/retryable").asBoolean()).isTrue();
    JsonNode ready = door.ensure(thread);
    assertThat(ready.path("session_id").asText()).isEqualTo(starting.field("/session_id"));
  }

  @Test
  void aRepeatedKeyGivesTheSameIdsAndAFreshToken() {
    String thread = Door.thread();
    String key = "\"" + UUID.randomUUID() + "\"";
    Api.Reply first = door.send("ensure", thread, "Idempotency-Key", key);
    Api.Reply again = door.send("ensure", thread, "Idempotency-Key", key);
    assertThat(again.headers().firstValue("Idempotency-Replayed")).hasValue("true");
    assertThat(again.field("/session_id")).isEqualTo(first.field("/session_id"));
    assertThat(again.field("/sandbox/id")).isEqualTo(first.field("/sandbox/id"));
    assertThat(again.field("/token")).isNotEqualTo(first.field("/token"));
    Api.Reply other = door.send("ensure", Door.thread(), "Idempotency-Key", key);
    assertThat(other.status()).isEqualTo(422);
    assertThat(other.code()).isEqualTo("IDEMPOTENCY_KEY_REUSED");
  }

  @Test
  void whatWasRefusedIsRefusedAgainWithTheSameKey() throws IOException {
    profile("others", "");
    String thread = Door.thread();
    JsonNode live = door.ensure(thread);
    String body =
        "{\"thread_id\": \"%s\", \"mode\": \"ensure\", \"profile\": \"others\"}".formatted(thread);
    String key = UUID.randomUUID().toString();
    for (int i = 0; i < 3; i++) {
      Api.Reply refused = api.post(Door.PATH, body, "Idempotency-Key", key);
      assertThat(refused.status()).as(refused.text()).isEqualTo(409);
      assertThat(refused.code()).isEqualTo("SESSION_CONFLICT");
    }
    assertThat(door.release(live.path("session_id").asText()).status()).isEqualTo(204);
    Api.Reply made = api.post(Door.PATH, body, "Idempotency-Key", key);
    assertThat(made.status()).as("the key is still free: " + made.text()).isEqualTo(200);
    assertThat(made.headers().firstValue("Idempotency-Replayed")).isEmpty();
  }

  @Test
  void whoJoinsAStartWithANewKeyIsNoRepetition() {
    String thread = Door.thread();
    String key = UUID.randomUUID().toString();
    assertThat(door.send("ensure", thread, "Prefer", "wait=0").status()).isEqualTo(423);
    Api.Reply joined = door.send("ensure", thread, "Idempotency-Key", key);
    assertThat(joined.status()).as(joined.text()).isEqualTo(200);
    assertThat(joined.headers().firstValue("Idempotency-Replayed")).isEmpty();
    Api.Reply again = door.send("ensure", thread, "Idempotency-Key", key);
    assertThat(again.headers().firstValue("Idempotency-Replayed")).hasValue("true");
    assertThat(again.field("/session_id")).isEqualTo(joined.field("/session_id"));
  }

  @Test
  void modesAndConflicts() {
    String id = Door.thread();
    assertThat(door.full("thread", id, "").status()).isEqualTo(200);
    Api.Reply twice = api.post(Door.PATH, create("thread", id));
    assertThat(twice.status()).as(twice.text()).isEqualTo(409);
    assertThat(twice.code()).isEqualTo("BINDING_CONFLICT");
    Api.Reply attach =
        api.post(
            Door.PATH,
            "{\"scope\": {\"type\": \"run\", \"id\": \"nobody\"}, \"mode\": \"attach_only\"}");
    assertThat(attach.status()).isEqualTo(404);
    assertThat(attach.code()).isEqualTo("BINDING_NOT_FOUND");
    Api.Reply made = api.post(Door.PATH, create("workspace", id));
    assertThat(made.status()).as(made.text()).isEqualTo(200);
    assertThat(made.json().has("thread_id")).isFalse();
    assertThat(door.look("ssn_aaaaaaaaaaaaaaaaaaaa").code()).isEqualTo("BINDING_NOT_FOUND");
    assertThat(door.on("ssn_aaaaaaaaaaaaaaaaaaaa", "refresh").code())
        .isEqualTo("SESSION_NOT_FOUND");
    assertThat(door.release("ssn_aaaaaaaaaaaaaaaaaaaa").status()).isEqualTo(404);
  }

  private static String create(String type, String id) {
    return "{\"scope\": {\"type\": \"%s\", \"id\": \"%s\"}, \"mode\": \"create_only\"}"
        .formatted(type, id);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"mode\": \"get\"}|thread_id",
        "{\"thread_id\": \"t\"}|mode",
        "{\"thread_id\": \"t\", \"mode\": \"take\"}|mode",
        "{\"thread_id\": 7, \"mode\": \"get\"}|thread_id",
        "{\"thread_id\": \"t\", \"scope\": {\"type\": \"thread\", \"id\": \"t\"}, \"mode\": \"get\"}|not both",
        "{\"scope\": {\"type\": \"planet\", \"id\": \"t\"}, \"mode\": \"ensure\"}|scope.type",
        "{\"scope\": {\"type\": \"thread\"}, \"mode\": \"ensure\"}|scope.id",
        "{\"thread_id\": \"t\", \"mode\": \"ensure\", \"consumer\": []}|consumer",
        "{\"thread_id\": \"t\", \"mode\": \"ensure\", \"consumer\": {\"actor\": \"bot\"}}|consumer.actor",
        "{\"thread_id\": \"t\", \"mode\": \"ensure\", \"profile\": \"no-such\"}|no-such",
        "{\"thread_id\": \"t\", \"mode\": \"ensure\", \"requested_capabilities\": [7]}|requested_capabilities",
        "{\"thread_id\": \"t\", \"mode\": \"ensure\", \"provider_preference\": \"x\"}|provider_preference"
      })
  void badRequestsSayWhatIsWrong(String body, String expected) {
    Api.Reply reply = api.post(Door.PATH, body);
    assertThat(reply.status()).as(reply.text()).isEqualTo(400);
    assertThat(reply.code()).isEqualTo("VALIDATION");
    assertThat(reply.field("/detail")).contains(expected);
  }

  @Test
  void whatANewerClientSendsIsIgnoredAndNamed() {
    String id = Door.thread();
    Api.Reply made =
        api.post(
            Door.PATH,
            """
            {"scope": {"type": "thread", "id": "%s", "label": "x"}, "mode": "ensure", "colour": 1,
             "requested_capabilities": ["exec", "fly", "gpu:0"]}
            """
                .formatted(id));
    assertThat(made.status()).as(made.text()).isEqualTo(200);
    assertThat(texts(made.json().path("warnings")))
        .containsExactlyInAnyOrder(
            "unknown fields were ignored: colour, scope.label",
            "unknown capabilities were left out: fly, gpu:0");
    assertThat(texts(made.json().at("/credentials/granted_capabilities"))).containsExactly("exec");
    String path = Door.PATH + "/" + made.field("/session_id");
    for (String verb : new String[] {"/refresh", "/refresh-token", "/heartbeat"}) {
      Api.Reply reply = api.post(path + verb, "{\"colour\": 1}");
      assertThat(reply.status()).as(reply.text()).isEqualTo(200);
      assertThat(texts(reply.json().path("warnings")))
          .containsExactly("unknown fields were ignored: colour");
    }
    Api.Reply none = door.full("thread", Door.thread(), ", \"requested_capabilities\": [\"fly\"]");
    assertThat(none.code()).as(none.text()).isEqualTo("CAPABILITY_DENIED");
    assertThat(none.field("/detail")).contains("no capability was requested that is known here");
  }

  @Test
  void theConsumerOfASessionStandsOnItsSandboxAndEvents() {
    Api.Reply made =
        api.post(
            Door.PATH,
            """
            {"thread_id": "%s", "mode": "ensure", "actor": {"type": "human", "id": "usr_7"},
             "consumer": {"project": "shop", "topic_id": "top-1", "task_id": "tsk-1"}}
            """
                .formatted(Door.thread()));
    assertThat(made.status()).as(made.text()).isEqualTo(200);
    JsonNode consumer =
        api.get("/v1/sandboxes/" + made.field("/sandbox/id")).json().path("consumer");
    assertThat(consumer.path("project").asText()).isEqualTo("shop");
    assertThat(consumer.path("actor").asText()).isEqualTo("adm");
    assertThat(consumer.path("actor_id").asText()).isEqualTo("usr_7");
    assertThat(consumer.path("topic_id").asText()).isEqualTo("top-1");
    assertThat(consumer.path("session_id").asText()).isEqualTo(made.field("/session_id"));
    JsonNode event =
        api.get("/v1/sandboxes/" + made.field("/sandbox/id") + "/events").json().at("/items/0");
    assertThat(event.at("/consumer/task_id").asText()).as(event.toString()).isEqualTo("tsk-1");
    assertThat(event.at("/consumer/actor_id").asText()).isEqualTo("usr_7");
    JsonNode plain = door.ensure(Door.thread());
    assertThat(
            api.get("/v1/sandboxes/" + plain.at("/sandbox/id").asText()).field("/consumer/project"))
        .isEqualTo("sessions");
  }

  @Test
  void aPreferenceThatCanNeverBeMetIsNotToBeTriedAgain() {
    Api.Reply refused =
        api.post(
            Door.PATH,
            "{\"thread_id\": \"%s\", \"mode\": \"ensure\", \"provider_preference\": \"ext.none\"}"
                .formatted(Door.thread()));
    assertThat(refused.status()).as(refused.text()).isEqualTo(422);
    assertThat(refused.code()).isEqualTo("NO_CANDIDATE");
    assertThat(refused.json().at("/error/retryable").asBoolean()).isFalse();
    assertThat(refused.field("/detail")).contains("ext.none").contains("provider_preference");
  }

  @Test
  void aTokenNamesItsSandboxAndItsScopes() throws IOException {
    JsonNode made = door.ensure(Door.thread());
    String payload = made.path("token").asText().split("\\.", -1)[1];
    JsonNode claims = Api.JSON.readTree(Base64.getUrlDecoder().decode(payload));
    assertThat(claims.path("sandbox_id")).isEqualTo(made.at("/sandbox/id"));
    assertThat(texts(claims.path("scopes")))
        .containsExactlyInAnyOrder(claims.path("scope").asText().split(" "));
    assertThat(claims.path("aud").asText()).isNotEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {".", "..", "a/b", "%2e"})
  void aThreadOfAnyIdCanBeEnded(String id) {
    JsonNode made = door.ensure(id);
    Api.Reply ended =
        api.post("/v1/sandbox/scopes/end", "{\"type\": \"thread\", \"id\": \"%s\"}".formatted(id));
    assertThat(ended.status()).as(ended.text()).isEqualTo(200);
    assertThat(ended.json().path("ended_sessions").asInt()).isEqualTo(1);
    assertThat(door.look(made.path("session_id").asText()).field("/binding/state"))
        .isEqualTo("terminated");
    Api.Reply bad = api.post("/v1/sandbox/scopes/end", "{\"type\": \"planet\", \"id\": \"x\"}");
    assertThat(bad.status()).as(bad.text()).isEqualTo(400);
  }

  @Test
  void aHintBindsAnOwnSandboxAndReleaseLeavesIt() {
    String sandbox = api.ready().path("id").asText();
    String thread = Door.thread();
    Api.Reply bound =
        api.post(
            Door.PATH,
            "{\"thread_id\": \"%s\", \"mode\": \"ensure\", \"sandbox_hint\": \"%s\"}"
                .formatted(thread, sandbox));
    assertThat(bound.field("/sandbox/id")).as(bound.text()).isEqualTo(sandbox);
    assertThat(bound.json().path("warnings")).isEmpty();
    Api.Dataplane inside = door.inside(bound.json());
    assertThat(inside.exec("true").status()).isEqualTo(200);
    assertThat(door.release(bound.field("/session_id")).status()).isEqualTo(204);
    await().atMost(Duration.ofMinutes(1)).until(() -> inside.exec("true").status() == 401);
    assertThat(door.sandboxState(sandbox)).isIn("ready", "active");
  }

  @Test
  void anotherTenantsScopeOfTheSameTextIsAnotherSession() {
    Door other = door.ofNewTenant("other-" + UUID.randomUUID().toString().substring(0, 8));
    String thread = Door.thread();
    JsonNode mine = door.ensure(thread);
    JsonNode theirs = other.ensure(thread);
    assertThat(theirs.path("session_id")).isNotEqualTo(mine.path("session_id"));
    assertThat(theirs.at("/sandbox/id")).isNotEqualTo(mine.at("/sandbox/id"));
    String id = mine.path("session_id").asText();
    assertThat(other.look(id).status()).isEqualTo(404);
    assertThat(other.on(id, "refresh").status()).isEqualTo(404);
    assertThat(other.on(id, "heartbeat").status()).isEqualTo(404);
    assertThat(other.release(id).status()).isEqualTo(404);
    Api.Dataplane foreign = other.inside(mine, theirs.path("token").asText());
    assertThat(foreign.exec("true").status()).isEqualTo(401);
  }

  @Test
  void capabilitiesAreCutDownToWhatTheKeyMayHave() {
    Door narrow = door.withNewKey("delegate", ", \"capabilities\": [\"fs_read\", \"exec\"]");
    String id = Door.thread();
    Api.Reply granted =
        narrow.full("thread", id, ", \"requested_capabilities\": [\"fs_read\", \"fs_write\"]");
    assertThat(granted.status()).as(granted.text()).isEqualTo(200);
    assertThat(texts(granted.json().at("/credentials/granted_capabilities")))
        .containsExactly("fs_read");
    Api.Reply exec = narrow.inside(granted.json()).exec("true");
    assertThat(exec.status()).isEqualTo(403);
    assertThat(exec.code()).isEqualTo("CAPABILITY_DENIED");
    assertThat(exec.field("/capability")).isEqualTo("exec");
    assertThat(narrow.inside(granted.json()).download("none.txt").status()).isEqualTo(404);

    Api.Reply refreshed = narrow.on(granted.field("/session_id"), "refresh-token");
    assertThat(texts(refreshed.json().at("/credentials/granted_capabilities")))
        .as("a refresh gives no more")
        .containsExactly("fs_read");
    Api.Reply denied =
        narrow.full("thread", id, ", \"requested_capabilities\": [\"shell\", \"admin\"]");
    assertThat(denied.status()).as(denied.text()).isEqualTo(403);
    assertThat(denied.code()).isEqualTo("CAPABILITY_DENIED");
    assertThat(denied.field("/detail")).contains("shell");
  }

  @Test
  void capabilitiesAreCutDownToWhatTheProfileAllows() throws IOException {
    profile("readers", "capabilities: [exec, fs_read]");
    String more = ", \"profile\": \"readers\"";
    String id = Door.thread();
    Api.Reply denied = door.full("thread", id, more + ", \"requested_capabilities\": [\"shell\"]");
    assertThat(denied.status()).as(denied.text()).isEqualTo(403);
    assertThat(denied.code()).isEqualTo("CAPABILITY_DENIED");
    assertThat(door.send("get", id).status()).as("nothing was made").isEqualTo(404);

    Api.Reply made = door.full("thread", id, more);
    assertThat(made.status()).as(made.text()).isEqualTo(200);
    assertThat(texts(made.json().at("/credentials/granted_capabilities")))
        .containsExactly("exec", "fs_read");
    assertThat(door.inside(made.json()).exec("true").status()).isEqualTo(200);
    Api.Reply upload = door.inside(made.json()).upload("a.txt", bytes("a"));
    assertThat(upload.code()).as(upload.text()).isEqualTo("CAPABILITY_DENIED");
    assertThat(upload.field("/capability")).isEqualTo("fs_write");
    Api.Reply refreshed = door.on(made.field("/session_id"), "refresh-token");
    assertThat(texts(refreshed.json().at("/credentials/granted_capabilities")))
        .containsExactly("exec", "fs_read");

    String access = "/v1/sandboxes/" + made.field("/sandbox/id") + "/access";
    assertThat(texts(api.get(access).json().path("granted_capabilities")))
        .containsExactly("exec", "fs_read");
    Door reader = door.withNewKey("consumer", ", \"capabilities\": [\"fs_read\", \"shell\"]");
    assertThat(texts(reader.api().get(access).json().path("granted_capabilities")))
        .as("what key and profile both allow")
        .containsExactly("fs_read");
    Door shell = door.withNewKey("consumer", ", \"capabilities\": [\"shell\"]");
    assertThat(shell.api().get(access).status()).isEqualTo(403);
    assertThat(shell.send("ensure", id).code()).isEqualTo("CAPABILITY_DENIED");
  }

  private void profile(String name, String more) throws IOException {
    Files.writeString(
        Files.createDirectories(InProcess.home().resolve("profiles")).resolve(name + ".yaml"),
        """
        id: profile.%s
        version: 1
        extends: local@1
        %s
        """
            .formatted(name, more));
  }

  @Test
  void anActorsTokenAndItsRefreshGiveNoMoreThanTheActorMayHave() {
    String id = Door.thread();
    Api.Reply granted =
        door.full("thread", id, ", \"actor\": {\"type\": \"agent\", \"id\": \"agt_1\"}");
    assertThat(granted.status()).as(granted.text()).isEqualTo(200);
    assertThat(texts(granted.json().at("/credentials/granted_capabilities")))
        .containsExactly("fs_read");
    assertThat(door.inside(granted.json()).exec("true").code()).isEqualTo("CAPABILITY_DENIED");
    for (String verb : new String[] {"refresh", "refresh-token"}) {
      Api.Reply refreshed = door.on(granted.field("/session_id"), verb);
      assertThat(texts(refreshed.json().at("/credentials/granted_capabilities")))
          .as(verb + " without naming the actor")
          .containsExactly("fs_read");
    }
  }

  @Test
  void onlyADelegateMayNameOthersAndAKeyKeepsToItsScopes() {
    Door consumer = door.withNewKey("consumer", "");
    Api.Reply other =
        consumer.full("thread", "t", ", \"actor\": {\"type\": \"human\", \"id\": \"usr_2\"}");
    assertThat(other.status()).as(other.text()).isEqualTo(403);
    assertThat(other.code()).isEqualTo("FORBIDDEN");
    Door named = door.withNewKey("consumer", ", \"user\": \"usr_2\"");
    assertThat(
            named
                .full(
                    "thread",
                    Door.thread(),
                    ", \"actor\": {\"type\": \"human\", \"id\": \"usr_2\"}")
                .status())
        .isEqualTo(200);
    Door fenced = door.withNewKey("consumer", ", \"scopes\": [\"thread:team-a/\"]");
    assertThat(fenced.send("ensure", "team-b/1").status()).isEqualTo(403);
    JsonNode own = Door.ok(fenced.send("ensure", "team-a/1"));
    JsonNode foreign = door.ensure(Door.thread());
    for (String verb : new String[] {"", "/access", "/events"}) {
      assertThat(fenced.api().get(path(foreign) + verb).status())
          .as("others'" + verb)
          .isEqualTo(404);
    }
    assertThat(fenced.api().delete(path(foreign)).status()).isEqualTo(404);
    assertThat(fenced.api().get("/v1/sandboxes?limit=1000").json().path("items"))
        .extracting(item -> item.path("id").asText())
        .containsExactly(own.at("/sandbox/id").asText());
    String mine = "?sandbox_id=" + own.at("/sandbox/id").asText();
    String others = "?sandbox_id=" + foreign.at("/sandbox/id").asText();
    for (String feed : new String[] {"/v1/events", "/v1/events/stream"}) {
      assertThat(fenced.api().get(feed).status()).as(feed).isEqualTo(403);
      assertThat(fenced.api().get(feed + others).status()).as(feed + "of others").isEqualTo(404);
    }
    assertThat(fenced.api().get("/v1/events" + mine).status()).isEqualTo(200);
    assertThat(fenced.api().get(path(own) + "/access").status()).isEqualTo(200);
    assertThat(door.sandboxState(foreign.at("/sandbox/id").asText())).isIn("ready", "active");
  }

  @Test
  void aKeyThatKeepsToItsScopesBindsNoSandboxOfOthers() {
    Door fenced = door.withNewKey("consumer", ", \"scopes\": [\"thread:team-c/\"]");
    String foreign =
        api.post("/v1/sandboxes", Api.create("local"), "Prefer", "wait=60").field("/id");
    Api.Reply made = fenced.full("thread", "team-c/1", hint(foreign));
    assertThat(made.status()).as(made.text()).isEqualTo(200);
    assertThat(made.field("/sandbox/id")).isNotEqualTo(foreign);
    assertThat(made.json().path("warnings").toString()).contains("sandbox_hint");

    String own =
        fenced.api().post("/v1/sandboxes", Api.create("local"), "Prefer", "wait=60").field("/id");
    assertThat(fenced.full("thread", "team-c/2", hint(own)).field("/sandbox/id")).isEqualTo(own);
    Door wide = door.withNewKey("consumer", "");
    assertThat(wide.full("thread", Door.thread(), hint(foreign)).field("/sandbox/id"))
        .isEqualTo(foreign);
  }

  private static String hint(String sandbox) {
    return ", \"sandbox_hint\": \"%s\"".formatted(sandbox);
  }

  private static String path(JsonNode session) {
    return "/v1/sandboxes/" + session.at("/sandbox/id").asText();
  }

  @Test
  void heartbeatsProlongTheLease() {
    Api.Reply made = door.full("assistant", Door.thread(), "");
    String id = made.field("/binding/id");
    Api.Reply beat = door.on(id, "heartbeat");
    assertThat(beat.status()).as(beat.text()).isEqualTo(200);
    assertThat(beat.field("/binding/id")).isEqualTo(id);
    assertThat(beat.field("/binding/state")).isEqualTo("active");
    assertThat(Instant.parse(beat.field("/binding/lease_expires_at"))).isAfter(Instant.now());
    assertThat(beat.json().at("/policy/idle_timeout_seconds").asLong()).isEqualTo(900);
  }

  @Test
  void theEndOfAScopeEndsWhatIsBoundToIt() {
    String thread = Door.thread();
    JsonNode session = door.ensure(thread);
    Api.Reply ended = api.post("/v1/sandbox/scopes/thread/" + thread + "/end", "{}");
    assertThat(ended.status()).as(ended.text()).isEqualTo(200);
    assertThat(ended.json().path("ended_sessions").asInt()).isEqualTo(1);
    assertThat(door.on(session.path("session_id").asText(), "refresh").status()).isEqualTo(410);
    gone(session.at("/sandbox/id").asText(), "scope_ended");
    assertThat(
            api.post("/v1/sandbox/scopes/thread/" + thread + "/end", "{}")
                .json()
                .path("ended_sessions")
                .asInt())
        .isZero();
    assertThat(api.post("/v1/sandbox/scopes/planet/x/end", "{}").status()).isEqualTo(400);
  }

  private static Set<String> texts(JsonNode list) {
    Set<String> texts = new TreeSet<>();
    list.forEach(item -> texts.add(item.asText()));
    return texts;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
