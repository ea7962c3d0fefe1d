package dev.sandboxer.platform.box;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.platform.testing.InProcess;
import dev.sandboxer.testing.client.Api;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code /v1/boxes}: one for each scope, conflicts, boxes made again, and the errors. */
@QuarkusTest
@TestProfile(InProcess.class)
class BoxesTest {

  private final Api api = InProcess.api();
  private final Set<String> made = new TreeSet<>();

  @AfterEach
  void end() {
    made.forEach(box -> api.delete("/v1/boxes/" + box));
  }

  private Api.Reply ensure(String chat, String more) {
    Api.Reply reply =
        api.post(
            "/v1/boxes",
            """
            {"variables": {"launcher_type": "group", "launcher_id": "%s"}, "profile": "local"%s}"""
                .formatted(chat, more),
            "Prefer",
            "wait=60");
    if (reply.status() < 300) {
      made.add(reply.field("/id"));
    }
    return reply;
  }

  private static String chat() {
    return UUID.randomUUID().toString();
  }

  private String stateOf(String sandbox) {
    return api.get("/v1/sandboxes/" + sandbox).field("/state");
  }

  @Test
  void theSameScopeGetsTheSameBoxAndAnotherOneItsOwn() {
    String chat = chat();
    Api.Reply first = ensure(chat, "");
    assertThat(first.status()).as(first.text()).isEqualTo(201);
    assertThat(first.field("/outcome")).isEqualTo("new");
    assertThat(first.field("/state")).isEqualTo("ready");
    assertThat(first.field("/scope")).isEqualTo("{launcher_type:group}_{launcher_id:%s}", chat);
    assertThat(first.json().at("/idle_seconds").asLong()).isEqualTo(300);

    Api.Reply second = ensure(chat, "");
    assertThat(second.status()).as(second.text()).isEqualTo(200);
    assertThat(second.field("/outcome")).isEqualTo("found");
    assertThat(second.field("/id")).isEqualTo(first.field("/id"));
    assertThat(second.field("/sandbox_id")).isEqualTo(first.field("/sandbox_id"));

    Api.Reply other = ensure(chat(), "");
    assertThat(other.field("/sandbox_id")).isNotEqualTo(first.field("/sandbox_id"));

    Api.Reply looked = api.get("/v1/boxes/" + first.field("/id"));
    assertThat(looked.status()).isEqualTo(200);
    assertThat(looked.field("/variables/launcher_id")).isEqualTo(chat);
    assertThat(api.get("/v1/boxes").text())
        .contains(first.field("/id"))
        .contains(other.field("/id"));
  }

  @Test
  void aHundredAtOnceGetOne() {
    String chat = chat();
    var calls =
        IntStream.range(0, 100)
            .mapToObj(n -> CompletableFuture.supplyAsync(() -> ensure(chat, "")))
            .toList();
    Set<String> ids = new TreeSet<>();
    List<String> outcomes = new ArrayList<>();
    calls.forEach(
        call -> {
          ids.add(call.join().field("/id") + call.join().field("/sandbox_id"));
          outcomes.add(call.join().field("/outcome"));
        });
    assertThat(ids).hasSize(1);
    assertThat(outcomes.stream().filter("new"::equals)).hasSize(1);
  }

  @Test
  void aListOfSeveralPages() {
    IntStream.range(0, 3).forEach(n -> ensure(chat(), ""));
    List<String> found = new ArrayList<>();
    String cursor = "";
    do {
      Api.Reply page = api.get("/v1/boxes?limit=2" + cursor);
      page.json().path("items").forEach(item -> found.add(item.path("id").asText()));
      JsonNode next = page.json().path("next_cursor");
      cursor = next.isTextual() ? "&cursor=" + next.asText() : "";
    } while (!cursor.isEmpty());
    assertThat(found).containsAll(made).doesNotHaveDuplicates();
  }

  @Test
  void aLivingBoxThatIsOtherwiseIsAConflictThatNamesEachField() throws IOException {
    String profile = InProcess.profile("extends: local@1\n");
    String chat = chat();
    Api.Reply first = ensure(chat, ", \"env\": {\"A\": \"1\", \"B\": \"2\"}, \"persistent\": true");
    Api.Reply refused =
        api.post(
            "/v1/boxes",
            """
            {"variables": {"launcher_type": "group", "launcher_id": "%s"}, "profile": "%s",
             "env": {"A": "1", "B": "secret"}, "labels": {"team": "x"}, "persistent": false,
             "idle_seconds": 60}"""
                .formatted(chat, profile));
    assertThat(refused.status()).as(refused.text()).isEqualTo(409);
    assertThat(refused.code()).isEqualTo("BOX_CONFLICT");
    assertThat(refused.field("/box_id")).isEqualTo(first.field("/id"));
    List<String> fields = new ArrayList<>();
    refused.json().path("differences").forEach(one -> fields.add(one.path("field").asText()));
    assertThat(fields)
        .containsExactly("profile", "env.B", "labels.team", "idle_seconds", "persistent");
    assertThat(refused.field("/differences/0/box")).isEqualTo("profile.local@1");
    assertThat(refused.field("/differences/0/request")).isEqualTo(profile);
    assertThat(refused.field("/differences/3/box")).isEqualTo("300");
    assertThat(refused.field("/differences/3/request")).isEqualTo("60");
    assertThat(refused.text()).doesNotContain("secret");
    assertThat(stateOf(first.field("/sandbox_id"))).isEqualTo("ready");
    assertThat(ensure(chat, ", \"env\": {\"A\": \"1\", \"B\": \"2\"}").status()).isEqualTo(200);
  }

  @Test
  void recreateMakesItAnewAndSaysWhatWasLost() {
    String chat = chat();
    Api.Reply first = ensure(chat, "");
    Api.Reply anew = ensure(chat, ", \"persistent\": true, \"on_change\": \"recreate\"");
    assertThat(anew.status()).as(anew.text()).isEqualTo(201);
    assertThat(anew.field("/outcome")).isEqualTo("changed");
    assertThat(anew.field("/id")).isEqualTo(first.field("/id"));
    assertThat(anew.field("/lost/sandbox_id")).isEqualTo(first.field("/sandbox_id"));
    assertThat(anew.field("/lost/what")).contains("processes");
    assertThat(anew.field("/lost/differences/0/field")).isEqualTo("persistent");
    assertThat(anew.json().at("/sandboxes").asInt()).isEqualTo(2);
    String old = first.field("/sandbox_id");
    await().atMost(Duration.ofMinutes(1)).until(() -> stateOf(old).equals("destroyed"));
    assertThat(api.get("/v1/sandboxes/" + old).field("/end_reason")).isEqualTo("replaced");
    Api.Reply same = ensure(chat, ", \"persistent\": true, \"on_change\": \"recreate\"");
    assertThat(same.field("/sandbox_id")).isEqualTo(anew.field("/sandbox_id"));
  }

  @Test
  void aBoxWhoseSandboxHasEndedIsMadeAgain() {
    String chat = chat();
    Api.Reply first = ensure(chat, "");
    assertThat(api.delete("/v1/sandboxes/" + first.field("/sandbox_id")).status()).isIn(200, 202);
    Api.Reply again = ensure(chat, "");
    assertThat(again.status()).as(again.text()).isEqualTo(201);
    assertThat(again.field("/outcome")).isEqualTo("vanished");
    assertThat(again.field("/id")).isEqualTo(first.field("/id"));
    assertThat(again.field("/sandbox_id")).isNotEqualTo(first.field("/sandbox_id"));
    assertThat(again.field("/lost/sandbox_id")).isEqualTo(first.field("/sandbox_id"));
    assertThat(api.get("/v1/sandboxes/" + again.field("/sandbox_id") + "/events").text())
        .contains("box.started");
  }

  @Test
  void whatARequestLeavesOutIsAsItWasWhenABoxIsMadeAgain() {
    String chat = chat();
    String more = ", \"env\": {\"A\": \"1\"}, \"idle_seconds\": 70, \"labels\": {\"a\": \"x\"}";
    Api.Reply first = ensure(chat, more);
    assertThat(api.delete("/v1/sandboxes/" + first.field("/sandbox_id")).status()).isIn(200, 202);
    Api.Reply again = ensure(chat, "");
    assertThat(again.field("/outcome")).isEqualTo("vanished");
    assertThat(ensure(chat, more).field("/outcome")).isEqualTo("found");
    String exec = "/v1/boxes/" + again.field("/id") + "/exec";
    assertThat(api.post(exec, "{\"command\": \"echo $A\"}").field("/stdout")).isEqualTo("1\n");

    Api.Reply changed = ensure(chat, ", \"labels\": {\"a\": \"y\"}, \"on_change\": \"recreate\"");
    assertThat(changed.field("/outcome")).isEqualTo("changed");
    assertThat(changed.json().at("/idle_seconds").asLong()).isEqualTo(70);
    assertThat(api.post(exec, "{\"command\": \"echo $A\"}").field("/stdout")).isEqualTo("1\n");
  }

  @Test
  void aDeletedBoxIsGoneAndItsScopeGetsANewOne() {
    String chat = chat();
    Api.Reply first = ensure(chat, "");
    String path = "/v1/boxes/" + first.field("/id");
    assertThat(api.delete(path).status()).isEqualTo(204);
    assertThat(api.get(path).code()).isEqualTo("NOT_FOUND");
    assertThat(api.delete(path).status()).isEqualTo(404);
    String sandbox = first.field("/sandbox_id");
    await().atMost(Duration.ofMinutes(1)).until(() -> stateOf(sandbox).equals("destroyed"));
    Api.Reply next = ensure(chat, "");
    assertThat(next.field("/outcome")).isEqualTo("new");
    assertThat(next.field("/id")).isNotEqualTo(first.field("/id"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{}|field 'profile' is missing",
        "{'profile': 'local'}|wants variable 'launcher_type', which was not given",
        "{'profile': 'local', 'template': '{sender}'}|names 'sender', which is no variable",
        "{'profile': 'local', 'session_id': 'a', 'template': '{sender_id}'}|not by both",
        "{'profile': 'local', 'session_id': 'a', 'variables': {'sender_id': '1'}}|not by both",
        "{'profile': 'local', 'session_id': ''}|field 'session_id'",
        "{'profile': 'nowhere', 'session_id': 'a'}|there is no profile 'nowhere'",
        "{'profile': 'local', 'session_id': 'a', 'idle_seconds': 1}|a whole number from 10",
        "{'profile': 'local', 'session_id': 'a', 'on_change': 'ask'}|conflict or recreate",
        "{'profile': 'local', 'session_id': 'a', 'ttl_seconds': 9999999}|hard limit",
        "{'profile': 'local', 'session_id': 'a', 'colour': 'red'}|unknown fields '[colour]'",
        "{'profile': 'local', 'session_id': 'a', 'inputs': {'size': 1}}|size"
      })
  void aWrongRequestIsExplained(String body, String message) {
    Api.Reply reply = api.post("/v1/boxes", body.replace('\'', '"'));
    assertThat(reply.status()).as(reply.text()).isEqualTo(400);
    assertThat(reply.code()).isEqualTo("VALIDATION");
    assertThat(reply.field("/detail")).contains(message);
  }

  @Test
  void aBoxIsItsTenantsAlone() {
    Api.Reply mine = ensure(chat(), "");
    String name = "boxes-" + UUID.randomUUID();
    assertThat(api.post("/v1/tenants", "{\"name\": \"%s\"}".formatted(name)).status())
        .isEqualTo(201);
    String key =
        api.post(
                "/v1/keys",
                "{\"name\": \"k\", \"role\": \"consumer\", \"tenant\": \"%s\"}".formatted(name))
            .field("/key");
    Api other = new Api(api.base(), key);
    assertThat(other.get("/v1/boxes/" + mine.field("/id")).code()).isEqualTo("NOT_FOUND");
    assertThat(other.get("/v1/boxes").json().path("items")).isEmpty();
    Api.Reply theirs =
        other.post(
            "/v1/boxes",
            """
            {"variables": {"launcher_type": "group", "launcher_id": "%s"}, "profile": "local"}"""
                .formatted(mine.field("/variables/launcher_id")));
    assertThat(theirs.field("/outcome")).isEqualTo("new");
    assertThat(theirs.field("/sandbox_id")).isNotEqualTo(mine.field("/sandbox_id"));
    other.delete("/v1/boxes/" + theirs.field("/id"));
  }

  @Test
  void aKeyThatIsNarrowedToBoxesOfOneKindGetsNoOthers() {
    String key =
        api.post(
                "/v1/keys",
                """
                {"name": "groups", "role": "consumer", "scopes": ["box:{launcher_type:group}_"]}""")
            .field("/key");
    Api narrowed = new Api(api.base(), key);
    String chat = chat();
    Api.Reply group =
        narrowed.post(
            "/v1/boxes",
            """
            {"variables": {"launcher_type": "group", "launcher_id": "%s"}, "profile": "local"}"""
                .formatted(chat));
    assertThat(group.status()).as(group.text()).isEqualTo(202);
    made.add(group.field("/id"));
    Api.Reply person =
        narrowed.post(
            "/v1/boxes",
            """
            {"variables": {"launcher_type": "person", "launcher_id": "%s"}, "profile": "local"}"""
                .formatted(chat));
    assertThat(person.code()).isEqualTo("FORBIDDEN");
    String others =
        api.post("/v1/boxes", "{\"session_id\": \"%s\", \"profile\": \"local\"}".formatted(chat))
            .field("/id");
    made.add(others);
    assertThat(narrowed.get("/v1/boxes/" + others).code()).isEqualTo("NOT_FOUND");
    assertThat(narrowed.get("/v1/boxes").code()).isEqualTo("FORBIDDEN");
  }

  @Test
  void theSelectFieldHasItsFourOptionsInBothLanguages() {
    Api.Reply field = api.get("/v1/box-templates");
    assertThat(field.field("/name")).isEqualTo("box-session-id-template");
    assertThat(field.field("/type")).isEqualTo("select");
    assertThat(field.field("/default")).isEqualTo("{launcher_type}_{launcher_id}");
    assertThat(field.field("/label/en_US")).isEqualTo("Sandbox Scope");
    assertThat(field.field("/label/zh_Hans")).isEqualTo("沙箱作用域");
    List<String> options = new ArrayList<>();
    field.json().path("options").forEach(one -> options.add(one.path("value").asText()));
    assertThat(options)
        .containsExactly(
            "{launcher_type}_{launcher_id}",
            "{launcher_type}_{launcher_id}_{sender_id}",
            "{launcher_type}_{launcher_id}_{conversation_id}",
            "{query_id}");
    assertThat(field.field("/options/3/label/zh_Hans")).isEqualTo("每条消息(完全隔离)");
  }
}
