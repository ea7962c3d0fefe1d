package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sandboxer.testing.client.Api;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/**
 * The eight ways in which chat platforms share boxes, and commands in boxes. Two requests have the
 * same box if one sees what the other has written.
 */
@OnEveryBackend
class BoxScenariosTest {

  private static final String CHAT = "{launcher_type}_{launcher_id}";
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  @Parameter private Backend backend;

  private Platform platform;
  private Api api;
  private final List<Box> boxes = new ArrayList<>();

  /** So that no test meets the chats of another. */
  private String unique = "";

  @BeforeAll
  void start() {
    platform = Platform.start(Map.of());
    api = platform.api();
  }

  @AfterAll
  void stop() {
    platform.close();
  }

  @AfterEach
  void end() {
    boxes.forEach(Box::delete);
    boxes.clear();
  }

  private Box box(String template, String... variables) {
    if (boxes.isEmpty()) {
      unique = UUID.randomUUID().toString();
    }
    Map<String, String> values = new HashMap<>();
    for (int i = 0; i < variables.length; i += 2) {
      values.put(variables[i], variables[i + 1] + (variables[i].endsWith("type") ? "" : unique));
    }
    Box box = Box.ensure(api, backend.profile(), template, values);
    boxes.add(box);
    return box;
  }

  private static void shared(Box one, Box other) {
    String text = UUID.randomUUID().toString();
    assertThat(one.exec("echo " + text + " > note").json().path("exit_code").asInt()).isZero();
    assertThat(other.out("cat note")).isEqualTo(text + "\n");
    assertThat(other.id()).isEqualTo(one.id());
    assertThat(other.sandbox()).isEqualTo(one.sandbox());
  }

  private static void apart(Box one, Box other) {
    assertThat(one.exec("echo mine > note").json().path("exit_code").asInt()).isZero();
    assertThat(other.out("cat note 2>/dev/null || echo none")).isEqualTo("none\n");
    assertThat(other.id()).isNotEqualTo(one.id());
  }

  @Test
  void personalAssistantOneBoxForEachUser() {
    Box first = box(CHAT, "launcher_type", "person", "launcher_id", "ann", "query_id", "1");
    shared(first, box(CHAT, "launcher_type", "person", "launcher_id", "ann", "query_id", "2"));
    apart(first, box(CHAT, "launcher_type", "person", "launcher_id", "bob", "query_id", "3"));
  }

  @Test
  void customerServiceOneBoxForEachCustomerInAllPipelines() {
    Box sales = box(CHAT, "launcher_type", "person", "launcher_id", "c1", "pipeline", "sales");
    shared(sales, box(CHAT, "launcher_type", "person", "launcher_id", "c1", "pipeline", "help"));
    apart(sales, box(CHAT, "launcher_type", "person", "launcher_id", "c2", "pipeline", "sales"));
  }

  @Test
  void internalEmployeeToolOneBoxForEachEmployee() {
    Box first = box(CHAT, "launcher_type", "person", "launcher_id", "e-1");
    apart(first, box(CHAT, "launcher_type", "person", "launcher_id", "e_1"));
    shared(first, box(CHAT, "launcher_type", "person", "launcher_id", "e-1"));
  }

  @Test
  void groupChatSharedAssistantOneBoxForEachGroup() {
    Box ann = box(CHAT, "launcher_type", "group", "launcher_id", "g", "sender_id", "ann");
    shared(ann, box(CHAT, "launcher_type", "group", "launcher_id", "g", "sender_id", "bob"));
    apart(ann, box(CHAT, "launcher_type", "person", "launcher_id", "g", "sender_id", "ann"));
  }

  @Test
  void groupChatIsolatedPerUserOneBoxForEachUserInAGroup() {
    String template = CHAT + "_{sender_id}";
    Box ann = box(template, "launcher_type", "group", "launcher_id", "g", "sender_id", "ann");
    apart(ann, box(template, "launcher_type", "group", "launcher_id", "g", "sender_id", "bob"));
    apart(ann, box(template, "launcher_type", "group", "launcher_id", "h", "sender_id", "ann"));
    shared(ann, box(template, "launcher_type", "group", "launcher_id", "g", "sender_id", "ann"));
  }

  @Test
  void teachingCrossChannelOneBoxForEachStudent() {
    Box group =
        box("{sender_id}", "launcher_type", "group", "launcher_id", "g", "sender_id", "ann");
    shared(
        group,
        box("{sender_id}", "launcher_type", "person", "launcher_id", "x", "sender_id", "ann"));
    apart(
        group,
        box("{sender_id}", "launcher_type", "group", "launcher_id", "g", "sender_id", "bob"));
  }

  @Test
  void oneOffExecutionOneBoxForEachMessage() {
    Box first = box("{query_id}", "launcher_id", "g", "query_id", "1");
    apart(first, box("{query_id}", "launcher_id", "g", "query_id", "2"));
  }

  @Test
  void multiProjectDevelopmentOneBoxForEachConversation() {
    String template = CHAT + "_{conversation_id}";
    String[] ann = {"launcher_type", "person", "launcher_id", "ann", "conversation_id", "c1"};
    Box first = box(template, ann);
    shared(first, box(template, ann));
    ann[5] = "c2";
    apart(first, box(template, ann));
  }

  @Test
  void aBoxThatWasKilledIsMadeAgainByTheNextCommand() {
    Box box = box(CHAT, "launcher_type", "group", "launcher_id", "g");
    box.exec("echo kept > note");
    backend.killFromOutside(box.sandbox());
    await().atMost(PATIENCE).until(() -> !List.of("ready", "active").contains(box.state()));
    Api.Reply again = box.exec("cat note 2>/dev/null || echo lost");
    assertThat(again.field("/stdout")).isEqualTo("lost\n");
    assertThat(again.field("/outcome")).isEqualTo("vanished");
    assertThat(again.field("/lost/sandbox_id")).isEqualTo(box.sandbox());
    assertThat(again.field("/sandbox_id")).isNotEqualTo(box.sandbox());
    assertThat(box.exec("true").field("/outcome")).isEqualTo("found");
  }

  @Test
  void aTimeoutEndsItsCommandAndLeavesTheBoxAndItsProcessesAlone() {
    Box box = box(CHAT, "launcher_type", "group", "launcher_id", "g");
    Api.Dataplane inside = api.access(box.sandbox());
    Api.Reply started =
        inside.post(
            "/processes", "{\"process_id\": \"server\", \"command\": [\"sleep\", \"600\"]}");
    assertThat(started.status()).as(started.text()).isBetween(200, 201);
    Api.Reply late =
        api.post(
            "/v1/boxes/" + box.id() + "/exec",
            "{\"command\": \"echo begun; sleep 600\", \"timeout_ms\": 300}");
    assertThat(late.status()).as(late.text()).isEqualTo(200);
    assertThat(late.json().path("timed_out").asBoolean()).isTrue();
    assertThat(late.json().path("exit_code").isNull()).isTrue();
    assertThat(late.field("/stdout")).isEqualTo("begun\n");
    assertThat(inside.get("/processes/server").field("/state")).isEqualTo("running");
    assertThat(box.exec("echo alive").field("/outcome")).isEqualTo("found");
  }

  @Test
  void aCommandWhoseClientHasGoneIsEnded() {
    Box box = box(CHAT, "launcher_type", "group", "launcher_id", "g");
    try (HttpClient client = HttpClient.newHttpClient()) {
      var _ =
          client.sendAsync(
              HttpRequest.newBuilder(api.base().resolve("/v1/boxes/" + box.id() + "/exec"))
                  .header("Authorization", "Bearer " + api.key())
                  .header("Content-Type", "application/json")
                  .POST(
                      HttpRequest.BodyPublishers.ofString(
                          "{\"command\": \"echo $$ > pid; sleep 6000\", \"timeout_ms\": 7000000}"))
                  .build(),
              HttpResponse.BodyHandlers.discarding());
      await().atMost(PATIENCE).until(() -> !box.out("cat pid").isBlank());
      client.shutdownNow();
    }
    await()
        .atMost(PATIENCE)
        .until(() -> box.out("kill -0 $(cat pid) || echo gone").equals("gone\n"));
  }

  @Test
  void aGigabyteOfOutputIsClippedAndSaidSo() {
    Box box = box(CHAT, "launcher_type", "group", "launcher_id", "g");
    Api.Reply much = box.exec("head -c 1073741824 /dev/zero | tr '\\0' x; echo done >&2; exit 3");
    assertThat(much.field("/stdout")).isEqualTo("x".repeat(1024 * 1024));
    assertThat(much.json().path("stdout_truncated").asBoolean()).isTrue();
    assertThat(much.field("/stderr")).isEqualTo("done\n");
    assertThat(much.json().path("stderr_truncated").asBoolean()).isFalse();
    assertThat(much.json().path("exit_code").asInt()).isEqualTo(3);
  }

  @Test
  void commandsAsTheDataplaneHasThem() {
    Box box = box(CHAT, "launcher_type", "group", "launcher_id", "g");
    String path = "/v1/boxes/" + box.id() + "/exec";
    Api.Reply argv =
        api.post(
            path,
            """
            {"command": ["/bin/sh", "-c", "cat; echo $A; pwd"], "stdin": "in\\n", "cwd": "/tmp",
             "env": {"A": "a b"}}""");
    assertThat(argv.field("/stdout")).isEqualTo("in\na b\n/tmp\n");
    Api.Reply bytes = api.post(path, "{\"command\": \"printf '\\\\377\\\\000'\"}");
    assertThat(bytes.field("/stdout_encoding")).isEqualTo("base64");
    assertThat(Base64.getDecoder().decode(bytes.field("/stdout"))).containsExactly(0xff, 0);
    assertThat(box.exec("kill -9 $$").field("/signal")).isEqualTo("SIGKILL");
    assertThat(box.out("printf grüß")).isEqualTo("grüß");
    for (String wrong :
        List.of(
            "{}",
            "{\"command\": []}",
            "{\"command\": \"\"}",
            "{\"command\": 1}",
            "{\"command\": \"a\\u0000b\"}",
            "{\"command\": \"ls\", \"timeout_ms\": 0}",
            "{\"command\": \"ls\", \"colour\": 1}",
            "{\"command\": [\"/no/such/program\"]}",
            "{\"command\": \"ls\", \"cwd\": \"/no/such/folder\"}")) {
      Api.Reply refused = api.post(path, wrong);
      assertThat(refused.status()).as(wrong + refused.text()).isBetween(400, 422);
      assertThat(refused.field("/detail")).as(refused.text()).isNotBlank();
    }
    assertThat(api.post("/v1/boxes/box_a0000000000000000000/exec", "{\"command\": \"ls\"}").code())
        .isEqualTo("NOT_FOUND");
  }
}
