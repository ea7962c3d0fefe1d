package dev.sandboxer.cli.box;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandboxer.cli.support.CommandLineRun;
import dev.sandboxer.cli.support.StandIn;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BoxVerbTest {
  private static final String ENSURE = "POST /v1/boxes";
  private static final String BOX =
      """
      {"id": "box_a", "scope": "{launcher_type:group}_{launcher_id:7\\u202e}", "state": "ready",
       "sandbox_id": "sb_b", "sandboxes": 2, "profile_id": "profile.local", "profile_version": 1,
       "extension_id": "ext.nsjail", "inputs": {"size": "small"}, "persistent": false,
       "idle_seconds": 600, "created_at": "2100-01-01T00:00:00Z",
       "used_at": "2100-01-01T00:00:00Z", "outcome": "new"}""";
  private static final JsonArray DIFFERENCES =
      new JsonArray(
          """
          [{"field": "inputs.size", "box": "small", "request": "large"},
           {"field": "labels.team", "box": null, "request": "a\\u001b[31m"}]""");

  private final List<JsonObject> bodies = new CopyOnWriteArrayList<>();
  private final List<String> prefers = new CopyOnWriteArrayList<>();
  private StandIn platform;

  @BeforeEach
  void start() throws IOException {
    platform = new StandIn();
  }

  @AfterEach
  void stop() throws IOException {
    platform.close();
  }

  private CommandLineRun ensured(int status, String reply, String... options) {
    platform.next(
        ENSURE,
        request ->
            request
                .body()
                .onSuccess(
                    body -> {
                      bodies.add(body.toJsonObject());
                      prefers.add(String.valueOf(request.getHeader("Prefer")));
                      request.response().setStatusCode(status).end(reply);
                    }));
    CommandLineRun run = CommandLineRun.against(platform);
    assertThat(run.run(words("ensure", options))).as(run.err()).isZero();
    return run;
  }

  private static String[] words(String verb, String... more) {
    String[] words = new String[more.length + 2];
    words[0] = "box";
    words[1] = verb;
    System.arraycopy(more, 0, words, 2, more.length);
    return words;
  }

  @Test
  void ensurePrintsTheIdAloneAndTheRestBesideIt() {
    CommandLineRun run =
        ensured(201, BOX, "--var", "launcher_type=group", "--var", "launcher_id=7");
    assertThat(run.out()).isEqualTo("box_a\n");
    assertThat(run.err())
        .isEqualTo("new: {launcher_type:group}_{launcher_id:7\\u202e}, sandbox sb_b is ready\n");
    assertThat(prefers).containsExactly("wait=60");
    assertThat(bodies)
        .containsExactly(
            new JsonObject(
                """
                {"profile": "local", "consumer": {"actor": "adm", "project": "cli"},
                 "variables": {"launcher_type": "group", "launcher_id": "7"}}"""));
  }

  @Test
  void ensureSendsWhatWasAskedFor() {
    var _ =
        ensured(
            200,
            BOX,
            "--template={sender_id}",
            "--var=sender_id=a=b",
            "--profile=tests@2",
            "--input=size=large",
            "--env=A=b c",
            "--label=k=v",
            "--mount=type=tmpfs,target=/scratch,tmpfs-size=64m",
            "--ttl=30m",
            "--idle=5m",
            "--persistent",
            "--recreate",
            "--wait=2m");
    assertThat(prefers).containsExactly("wait=120");
    assertThat(bodies)
        .containsExactly(
            new JsonObject(
                """
                {"profile": "tests@2", "consumer": {"actor": "adm", "project": "cli"},
                 "template": "{sender_id}", "variables": {"sender_id": "a=b"},
                 "inputs": {"size": "large"}, "env": {"A": "b c"}, "labels": {"k": "v"},
                 "mounts": [{"tmpfs": "64Mi", "mount_path": "/scratch"}], "ttl_seconds": 1800,
                 "idle_seconds": 300, "persistent": true, "on_change": "recreate"}"""));
  }

  @Test
  void anIdOfOnesOwnGoesAloneAndNothingIsWaitedFor() {
    CommandLineRun run =
        ensured(202, BOX.replace("ready", "provisioning"), "--session-id", "me", "--no-wait");
    assertThat(run.out()).isEqualTo("box_a\n");
    assertThat(run.err()).contains("sb_b is provisioning");
    assertThat(prefers).containsExactly("null");
    assertThat(bodies.getFirst().getString("session_id")).isEqualTo("me");
    assertThat(bodies.getFirst().fieldNames()).doesNotContain("template", "variables");
  }

  @Test
  void whatWasLostIsSaid() {
    JsonObject lost =
        new JsonObject()
            .put("sandbox_id", "sb_old")
            .put("what", "its processes")
            .put("differences", DIFFERENCES);
    String reply = new JsonObject(BOX).put("outcome", "changed").put("lost", lost).encode();
    CommandLineRun run = ensured(201, reply, "--session-id", "me", "--recreate");
    assertThat(run.out()).isEqualTo("box_a\n");
    assertThat(run.err())
        .startsWith("changed: ")
        .endsWith(
            """
            lost with sb_old: its processes
            FIELD        BOX    REQUEST
            inputs.size  small  large
            labels.team  -      a\\u001b[31m
            """);
  }

  @Test
  void jsonIsTheApisAnswer() {
    CommandLineRun run = ensured(200, BOX, "--session-id", "me", "--json");
    assertThat(new JsonObject(run.out())).isEqualTo(new JsonObject(BOX));
    assertThat(run.err()).isEmpty();
  }

  @Test
  void aConflictIsATableWithTheWayOut() {
    platform.next(ENSURE, conflict());
    CommandLineRun run = CommandLineRun.against(platform);
    assertThat(run.run("box", "ensure", "--session-id", "me")).isEqualTo(125);
    assertThat(run.out()).isEmpty();
    assertThat(run.err())
        .isEqualTo(
            """
            sandboxer: it differs (BOX_CONFLICT, req_7)
            FIELD        BOX    REQUEST
            inputs.size  small  large
            labels.team  -      a\\u001b[31m
            hint: --recreate makes the box as requested; its processes and files are lost
            """);
  }

  @Test
  void aConflictInJsonHasItsDifferences() {
    platform.next(ENSURE, conflict());
    CommandLineRun run = CommandLineRun.against(platform);
    assertThat(run.run("box", "ensure", "--session-id", "me", "--json")).isEqualTo(125);
    JsonObject error = new JsonObject(run.out()).getJsonObject("error");
    assertThat(error.getString("code")).isEqualTo("BOX_CONFLICT");
    assertThat(error.getJsonArray("differences")).isEqualTo(DIFFERENCES);
  }

  private static StandIn.Reply conflict() {
    return StandIn.problem(
        409, "BOX_CONFLICT", "it differs", new JsonObject().put("differences", DIFFERENCES));
  }

  @Test
  void oneThatIsNotReadyInTimeIsAFailure() {
    platform.next(ENSURE, StandIn.text(202, BOX.replace("ready", "provisioning")));
    CommandLineRun run = CommandLineRun.against(platform);
    assertThat(run.run("box", "ensure", "--session-id", "me", "--wait", "3")).isEqualTo(125);
    assertThat(run.out()).isEmpty();
    assertThat(run.err()).contains("box_a is provisioning", "within 3 s", "goes on waiting");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "[]",
        "7",
        "{\"id\": \"sb_a\"}",
        "{\"id\": \"box_../keys\"}",
        "{\"id\": {\"a\": 1}}"
      })
  void anAnswerWithoutAnIdIsNoBox(String reply) {
    platform.next(ENSURE, StandIn.text(200, reply));
    platform.next("GET /v1/boxes/box_a", StandIn.text(200, reply));
    CommandLineRun ensure = CommandLineRun.against(platform);
    assertThat(ensure.run("box", "ensure", "--session-id", "me")).isEqualTo(125);
    assertThat(ensure.err()).contains("is it a Sandboxer platform?");
    assertThat(ensure.out()).isEmpty();
    CommandLineRun show = CommandLineRun.against(platform);
    assertThat(show.run("box", "show", "box_a")).isEqualTo(125);
    assertThat(show.err()).contains("is it a Sandboxer platform?");
  }

  @Test
  void boxesAreATable() {
    JsonObject persistent =
        new JsonObject(BOX)
            .put("id", "box_b")
            .put("scope", "me")
            .put("persistent", true)
            .put("used_at", "never");
    platform.next("GET /v1/boxes", page(null, new JsonObject(BOX), persistent));
    CommandLineRun run = CommandLineRun.against(platform);
    assertThat(run.run("box", "ls")).as(run.err()).isZero();
    assertThat(run.out())
        .isEqualTo(
            """
            ID     SCOPE                                        STATE  PROFILE        SANDBOX  IDLE        USED
            box_a  {launcher_type:group}_{launcher_id:7\\u202e}  ready  profile.local  sb_b     10 min      -
            box_b  me                                           ready  profile.local  sb_b     persistent  -
            """);
  }

  @Test
  void aListIsFollowedToItsEndOrTheLimit() {
    List<String> asked = new CopyOnWriteArrayList<>();
    StandIn.Reply endless =
        request -> {
          asked.add(request.query());
          page("n/1", new JsonObject(BOX), new JsonObject(BOX)).to(request);
        };
    platform.next("GET /v1/boxes", endless).next("GET /v1/boxes", endless);
    CommandLineRun run = CommandLineRun.against(platform);
    assertThat(run.run("box", "ls", "-q", "--limit", "3")).as(run.err()).isZero();
    assertThat(run.out()).isEqualTo("box_a\nbox_a\nbox_a\n");
    assertThat(asked).containsExactly("limit=3", "limit=1&cursor=n%2F1");
    platform.next("GET /v1/boxes", endless).next("GET /v1/boxes", page(null, new JsonObject(BOX)));
    CommandLineRun all = CommandLineRun.against(platform);
    assertThat(all.run("box", "ls", "--json")).as(all.err()).isZero();
    assertThat(new JsonObject(all.out()).getJsonArray("items")).hasSize(3);
  }

  private static StandIn.Reply page(@Nullable String next, JsonObject... boxes) {
    return StandIn.text(
        200,
        new JsonObject()
            .put("items", new JsonArray(List.of(boxes)))
            .put("next_cursor", next)
            .encode());
  }

  @Test
  void aPersonWithoutBoxesIsToldHowToGetOne() {
    platform.next("GET /v1/boxes", page(null));
    CommandLineRun run = CommandLineRun.against(platform).terminal();
    assertThat(run.run("box", "ls")).isZero();
    assertThat(run.err()).contains("sandboxer box ensure");
  }

  @Test
  void showSaysAll() {
    platform.next("GET /v1/boxes/box_a", StandIn.text(200, BOX));
    CommandLineRun run = CommandLineRun.against(platform);
    assertThat(run.run("box", "show", "box_a")).as(run.err()).isZero();
    assertThat(run.out())
        .isEqualTo(
            """
            id           box_a
            scope        {launcher_type:group}_{launcher_id:7\\u202e}
            state        ready
            sandbox      sb_b
            sandboxes    2
            profile      profile.local, version 1
            backend      ext.nsjail
            inputs       size=small
            idle         10 min
            created      2100-01-01T00:00:00Z
            used         2100-01-01T00:00:00Z
            """);
  }

  private CommandLineRun removed(String... options) {
    platform
        .next("DELETE /v1/boxes/box_a", StandIn.text(204, ""))
        .next(
            "DELETE /v1/boxes/box_gone",
            StandIn.problem(404, "NOT_FOUND", "there is no box", new JsonObject()));
    CommandLineRun run = CommandLineRun.against(platform);
    assertThat(run.run(words("rm", options))).isEqualTo(125);
    assertThat(run.err()).isEqualTo("sandboxer: box_gone: there is no box (NOT_FOUND, req_7)\n");
    return run;
  }

  @Test
  void oneThatCannotBeRemovedDoesNotKeepTheOthers() {
    assertThat(removed("box_gone", "box_a").out()).isEqualTo("box_a removed\n");
    JsonObject document = new JsonObject(removed("--json", "box_gone", "box_a").out());
    assertThat(document.getJsonArray("removed")).containsExactly("box_a");
    assertThat(document.getJsonArray("failed").getJsonObject(0).getString("box_id"))
        .isEqualTo("box_gone");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "box|box ensure, exec, ls, show or rm",
        "box show sb_a|sandboxer box ls",
        "box show ../keys|sandboxer box ls",
        "box rm box_a box_A|\"box_A\" is no box's id",
        "box rm|BOX",
        "box exec a -- true|sandboxer box ls",
        "box exec box_a|sandboxer box exec box_a -- echo hello",
        "box exec box_a --timeout 0 -- true|must be seconds",
        "box ls --limit 0|--limit 0 must be at least 1",
        "box ensure --session-id a --var sender_id=b|neither with --template nor with --var",
        "box ensure --session-id a --template {global}|neither with --template nor with --var",
        "box ensure --var sender_id|--var",
        "box ensure --idle soon|must be seconds, or a number with s, m, h or d",
        "box ensure --ttl -1s|--ttl",
        "box ensure --wait 2w|must be seconds",
        "box ensure --mount type=npipe|type 'npipe' must be bind, copy, volume or tmpfs"
      })
  void wrongCallsAreToldWithoutCallingAnybody(String call, String told) {
    CommandLineRun run = CommandLineRun.against(platform);
    assertThat(run.run(call.split(" ", -1))).as(run.err()).isEqualTo(2);
    assertThat(run.err()).startsWith("sandboxer: ").contains(told);
    assertThat(platform.calls).isEmpty();
  }
}
