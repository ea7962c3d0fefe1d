package dev.sandboxer.cli.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.cli.ExitCode;
import dev.sandboxer.cli.support.CommandLineRun;
import dev.sandboxer.cli.support.StandIn;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OtherVerbsTest {
  private StandIn platform;

  @BeforeEach
  void start() throws IOException {
    platform = new StandIn();
  }

  @AfterEach
  void stop() throws IOException {
    platform.close();
  }

  @Test
  void createPrintsTheIdAndExecUsesIt() {
    CommandLineRun create = CommandLineRun.against(platform);
    assertThat(create.run("create", "-e", "A=b", "--ttl", "60", "-l", "k=v")).isZero();
    assertThat(create.out()).isEqualTo(StandIn.ID + "\n");
    assertThat(platform.bodies.getFirst().getJsonObject("env"))
        .isEqualTo(new JsonObject().put("A", "b"));
    assertThat(platform.bodies.getFirst().getInteger("ttl_seconds")).isEqualTo(60);
    CommandLineRun exec = CommandLineRun.against(platform);
    assertThat(exec.run("exec", StandIn.ID, "--", "sh", "-c", "echo in; exit 4")).isEqualTo(4);
    assertThat(exec.out()).isEqualTo("in\n");
    assertThat(platform.count(call -> call.startsWith("DELETE"))).isZero();
  }

  @Test
  void mountsAreWrittenAsForDocker() {
    CommandLineRun create = CommandLineRun.against(platform);
    assertThat(
            create.run(
                "create",
                "--mount",
                "type=bind,source=/srv/data,target=/data,readonly",
                "--mount",
                "type=bind,src=/srv/out,dst=/out",
                "--mount=type=bind,src=/srv/out,destination=/seen,ro=true",
                "--mount=type=tmpfs,target=/scratch,tmpfs-size=64m",
                "--mount=type=tmpfs,target=/small,tmpfs-size=2049",
                "--mount=type=volume,source=cache,target=/cache",
                "--mount=type=volume,src=cache,dst=/seen-cache,ro"))
        .isZero();
    assertThat(platform.bodies.getFirst().getJsonArray("mounts"))
        .isEqualTo(
            new JsonArray(
                """
                [{"host_path": "/srv/data", "mode": "ro", "mount_path": "/data"},
                 {"host_path": "/srv/out", "mode": "rw", "mount_path": "/out"},
                 {"host_path": "/srv/out", "mode": "ro", "mount_path": "/seen"},
                 {"tmpfs": "64Mi", "mount_path": "/scratch"},
                 {"tmpfs": "3Ki", "mount_path": "/small"},
                 {"volume": "cache", "mode": "rw", "mount_path": "/cache"},
                 {"volume": "cache", "mode": "ro", "mount_path": "/seen-cache"}]
                """));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "source=/a,target=/b|'type' is missing: bind, copy, volume or tmpfs",
        "/a:/b|'/a:/b' must be NAME=VALUE",
        "type=npipe,source=a,target=/b|type 'npipe' must be bind, copy, volume or tmpfs",
        "type=volume,target=/b|'source' is missing",
        "type=volume,source=a,target=/b,tmpfs-size=1m|type volume knows no 'tmpfs-size'",
        "type=bind,target=/b|'source' is missing",
        "type=bind,source=/a|'target' is missing",
        "type=bind,source=/a,src=/b,target=/c|'source' stands twice",
        "type=bind,source=/a,target=/b,bind-propagation=shared|type bind knows no 'bind-propagation'; it knows [readonly, source, target, type]",
        "type=bind,source=/a,target=/b,readonly=maybe|readonly 'maybe' must be true or false",
        "type=tmpfs,target=/b|'tmpfs-size' is missing",
        "type=tmpfs,target=/b,tmpfs-size=much|tmpfs-size 'much' must be bytes or a size such as 512Mi or 1Gi",
        "type=tmpfs,target=/b,tmpfs-size=1m,readonly|type tmpfs knows no 'readonly'",
      })
  void aWrongMountIsAWrongCall(String mount, String expected) {
    CommandLineRun create = CommandLineRun.against(platform);
    assertThat(create.run("create", "--mount", mount)).isEqualTo(2);
    assertThat(create.err()).contains("--mount " + mount + ": " + expected);
    assertThat(platform.bodies).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "field 'ttl_seconds' is 999; it must be 1 to 9|--ttl is 999; it must be 1 to 9",
        "name 'a b' in 'labels' must be short|name 'a b' in --label must be short",
        "field 'consumer.project' is long|--project is long",
        "no host of ext.a is registered; POST /v1/hosts registers one|'sandboxer hosts add' registers one",
        "there is no volume 'c'; POST /v1/volumes (sandboxer volume create) makes one|'c'; 'sandboxer volume create' makes one",
        "there is no profile 'x'; did you mean 'local'?|there is no profile 'x'; did you mean 'local'?",
      })
  void whatThePlatformRefusesIsSaidInTermsOfTheCommandLine(String said, String shown) {
    platform.next("POST /v1/sandboxes", StandIn.problem(400, "VALIDATION", said, new JsonObject()));
    CommandLineRun create = CommandLineRun.against(platform);
    assertThat(create.run("create")).isEqualTo(125);
    assertThat(create.err()).contains(shown).doesNotContain("/v1/", "field '");
  }

  @Test
  void cpusAndMemoryAreInputsOfTheProfile() {
    CommandLineRun create = CommandLineRun.against(platform);
    assertThat(create.run("create", "--cpus", "2", "--memory", "1Gi", "--input", "a=b")).isZero();
    assertThat(platform.bodies.getFirst().getJsonObject("inputs"))
        .isEqualTo(new JsonObject("{\"a\": \"b\", \"cpus\": \"2\", \"memory\": \"1Gi\"}"));
  }

  @Test
  void whatIsNotAsRequestedIsSaid() {
    platform.next(
        "POST /v1/sandboxes",
        StandIn.text(
            201,
            new JsonObject()
                .put("id", StandIn.ID)
                .put("state", "ready")
                .put("warnings", new JsonArray().add("version 1 of profile.local was used"))
                .encode()));
    CommandLineRun create = CommandLineRun.against(platform);
    assertThat(create.run("create")).as(create.err()).isZero();
    assertThat(create.err()).contains("warning: version 1 of profile.local was used");
  }

  @Test
  void createWaitsForASlowSandbox() {
    platform.state("provisioning");
    platform.next(
        "GET /v1/sandboxes/" + StandIn.ID,
        StandIn.problem(503, "DATABASE_UNAVAILABLE", "gone", new JsonObject()));
    CommandLineRun create = CommandLineRun.against(platform);
    assertThat(create.run("create")).isEqualTo(125);
    assertThat(create.err()).contains("gone (DATABASE_UNAVAILABLE, req_7)");
  }

  @Test
  void aFailedSandboxIsToldWithItsState() {
    platform.state("failed");
    CommandLineRun create = CommandLineRun.against(platform);
    assertThat(create.run("create")).isEqualTo(125);
    assertThat(create.err()).contains(StandIn.ID + " is failed");
  }

  @Test
  void lsShowsNoControlCharacters() {
    CommandLineRun list = CommandLineRun.against(platform);
    assertThat(list.run("ls")).isZero();
    assertThat(list.out()).contains(StandIn.ID, "cli\\u001b[31m").doesNotContain("\u001b");
  }

  @Test
  void aMistypedVerbIsAnsweredWithTheVerbs() {
    CommandLineRun typo = CommandLineRun.against(platform);
    assertThat(typo.run("xyzzy", "--", "true")).isEqualTo(2);
    assertThat(typo.err()).contains("there is no verb 'xyzzy'", "run, create, exec");
  }

  @Test
  void lsLeavesOutWhatIsDestroyed() {
    platform.state("destroyed");
    CommandLineRun list = CommandLineRun.against(platform);
    assertThat(list.run("ls", "--quiet")).isZero();
    assertThat(list.out()).isEmpty();
    CommandLineRun all = CommandLineRun.against(platform);
    assertThat(all.run("ls", "--all", "--quiet")).isZero();
    assertThat(all.out()).isEqualTo(StandIn.ID + "\n");
  }

  @Test
  void lsFollowsPages() throws IOException {
    String page = "{\"items\":[{\"id\":\"sb_first\",\"state\":\"ready\"}],\"next_cursor\":\"a b\"}";
    platform.next("GET /v1/sandboxes", StandIn.text(200, page));
    CommandLineRun list = CommandLineRun.against(platform);
    assertThat(list.run("ls", "--json")).isZero();
    assertThat(new ObjectMapper().readTree(list.out()).path("items")).hasSize(2);
  }

  @Test
  void rmWaitsUntilDestroyedAndSaysSo() {
    CommandLineRun remove = CommandLineRun.against(platform);
    assertThat(remove.run("rm", "--all")).isZero();
    assertThat(remove.out()).isEqualTo(StandIn.ID + " destroyed\n");
  }

  @Test
  void rmOfAllTenantsWantsTheWordAll() {
    CommandLineRun remove = CommandLineRun.against(platform);
    assertThat(remove.run("rm", "--all-tenants", StandIn.ID)).isEqualTo(2);
    assertThat(remove.err()).contains("--all-tenants goes with --all");
    assertThat(platform.calls).isEmpty();
  }

  @Test
  void oneThatCannotBeRemovedKeepsNoOther() {
    String other = StandIn.ID.replace("sb_a", "sb_b");
    platform.next(
        "DELETE /v1/sandboxes/" + other,
        StandIn.problem(404, "NOT_FOUND", "no such sandbox", new JsonObject()));
    CommandLineRun remove = CommandLineRun.against(platform);
    assertThat(remove.run("rm", other, "sb_c", StandIn.ID)).isEqualTo(125);
    assertThat(remove.out()).contains(StandIn.ID + " destroyed");
    assertThat(remove.err())
        .contains(other + ": no such sandbox", "sb_c: no sandbox that is there is called \"sb_c\"");
  }

  @Test
  void aRedirectIsNotFollowed() throws IOException {
    try (StandIn other = new StandIn()) {
      platform.next(
          "GET /v1/sandboxes",
          request ->
              request
                  .response()
                  .setStatusCode(302)
                  .putHeader("Location", other.url() + "/v1/sandboxes")
                  .end());
      assertThat(CommandLineRun.against(platform).run("ls")).isZero();
      assertThat(other.calls).isEmpty();
    }
  }

  @Test
  void aWrongUrlIsAWrongCall() {
    for (String url :
        new String[] {
          "localhost:8420", "ftp://x", "http://", "http://user:word@host", "not a url"
        }) {
      CommandLineRun list =
          new CommandLineRun().with("SANDBOXER_URL", url).with("SANDBOXER_KEY", StandIn.KEY);
      assertThat(list.run("ls")).as(url).isEqualTo(2);
      assertThat(list.err()).contains("SANDBOXER_URL is not an http or https URL");
    }
  }

  @Test
  void aNewKeyIsTheOnlyThingOnStandardOutput() {
    platform.next("POST /v1/keys", StandIn.text(201, "{\"id\":\"key_1\",\"key\":\"sbxk_0123\"}"));
    CommandLineRun create = CommandLineRun.against(platform);
    assertThat(create.run("keys", "create", "ci", "--role", "consumer")).isZero();
    assertThat(create.out()).isEqualTo("sbxk_0123\n");
  }

  @Test
  void theTrainingWalkChangesNothing() {
    assertThat(CommandLineRun.against(platform).run("train")).isZero();
    assertThat(platform.calls).isEmpty();
  }

  @Test
  void whatStandsAfterTheSandboxIsTheCommands() {
    CommandLineRun exec = CommandLineRun.against(platform);
    assertThat(exec.run("exec", StandIn.ID, "echo", "-n", "--json", "--", "x")).isZero();
    assertThat(exec.out()).isEqualTo("--json -- x");
    CommandLineRun dashes = CommandLineRun.against(platform);
    assertThat(dashes.run("exec", "--json", StandIn.ID, "--", "sh", "-c", "exit 3")).isEqualTo(3);
    assertThat(dashes.out()).contains("\"exit_code\" : 3");
    CommandLineRun none = CommandLineRun.against(platform);
    assertThat(none.run("exec", StandIn.ID)).isEqualTo(2);
    assertThat(none.err()).contains("which command?");
  }

  @Test
  void recreateSendsTheGenerationAndWaits() {
    String record = "{\"id\": \"%s\", \"state\": \"%s\", \"generation\": 4}";
    platform.next(
        "GET /v1/sandboxes/" + StandIn.ID,
        StandIn.text(200, record.formatted(StandIn.ID, "ready")));
    List<String> generations = new ArrayList<>();
    platform.next(
        "POST /v1/sandboxes/" + StandIn.ID + "/recreate",
        request -> {
          generations.add(request.getHeader("If-Match"));
          StandIn.text(202, record.formatted(StandIn.ID, "requested")).to(request);
        });
    CommandLineRun recreate = CommandLineRun.against(platform);
    assertThat(recreate.run("recreate", StandIn.ID)).as(recreate.err()).isZero();
    assertThat(recreate.out()).isEqualTo(StandIn.ID + "\n");
    assertThat(generations).containsExactly("4");
  }

  @ParameterizedTest
  @CsvSource({
    "suspend, suspended, suspending, active, not_suspended",
    "resume, ready, resuming, suspended, not_resumed"
  })
  void suspendAndResumeWaitAndSayWhatFailed(
      String verb, String after, String during, String still, String condition) {
    String call = "POST /v1/sandboxes/" + StandIn.ID + "/" + verb;
    String record = "{\"id\": \"%s\", \"state\": \"%s\", \"conditions\": [%s]}";
    platform.next(call, StandIn.text(202, record.formatted(StandIn.ID, after, "")));
    CommandLineRun done = CommandLineRun.against(platform);
    assertThat(done.run(verb, StandIn.ID)).as(done.err()).isZero();
    assertThat(done.out()).isEqualTo(StandIn.ID + "\n");

    platform.next(call, StandIn.text(202, record.formatted(StandIn.ID, during, "")));
    CommandLineRun slow = CommandLineRun.against(platform);
    assertThat(slow.run(verb, StandIn.ID)).isEqualTo(ExitCode.SANDBOXER);
    assertThat(slow.err()).contains("is " + during + " after a minute", "sandboxer inspect");

    String why = "{\"type\": \"%s\", \"detail\": [\"the engine refuses\"]}".formatted(condition);
    platform.next(call, StandIn.text(202, record.formatted(StandIn.ID, still, why)));
    CommandLineRun failed = CommandLineRun.against(platform);
    assertThat(failed.run(verb, StandIn.ID)).isEqualTo(ExitCode.SANDBOXER);
    assertThat(failed.err()).contains(verb + " failed, it is " + still + ": the engine refuses");
  }

  @Test
  void extendTtlTakesATimeAndShowsWhatThePlatformWarnsOf() {
    List<JsonObject> sent = new ArrayList<>();
    platform.next(
        "POST /v1/sandboxes/" + StandIn.ID + "/extend-ttl",
        StandIn.recording(
            sent,
            200,
            """
            {"id": "%s", "state": "ready", "expires_at": "2100-01-01T00:00:00Z",
             "warnings": ["its idle time ends it earlier"]}
            """
                .formatted(StandIn.ID)));
    CommandLineRun extend = CommandLineRun.against(platform);
    assertThat(extend.run("extend-ttl", StandIn.ID, "10m")).as(extend.err()).isZero();
    assertThat(sent.getFirst().getInteger("ttl_seconds")).isEqualTo(600);
    assertThat(extend.out()).startsWith(StandIn.ID + " ends in ");
    assertThat(extend.err()).contains("warning: its idle time ends it earlier");
    CommandLineRun wrong = CommandLineRun.against(platform);
    assertThat(wrong.run("extend-ttl", StandIn.ID, "soon")).isEqualTo(2);
    assertThat(wrong.err()).contains("'soon' must be seconds");
  }

  @Test
  void waitEndsWhenItIsReadyAndFailsWhenItHasFailed() {
    CommandLineRun ready = CommandLineRun.against(platform);
    assertThat(ready.run("wait", StandIn.ID)).as(ready.err()).isZero();
    platform.state("failed");
    CommandLineRun failed = CommandLineRun.against(platform);
    assertThat(failed.run("wait", StandIn.ID)).isEqualTo(125);
    assertThat(failed.err()).contains("is failed");
    platform.state("provisioning");
    CommandLineRun late = CommandLineRun.against(platform);
    assertThat(late.run("wait", "--timeout", "1s", StandIn.ID)).isEqualTo(125);
    assertThat(late.err()).contains("was not ready within 1 s");
  }

  @Test
  void whoamiNamesKeyRoleAndTenant() {
    platform.next(
        "GET /v1/keys/self",
        StandIn.text(
            200,
            "{\"id\": \"key_k1\", \"name\": \"ci\", \"role\": \"consumer\", \"tenant\": \"default\","
                + " \"scopes\": [\"thread:a\"]}"));
    CommandLineRun whoami = CommandLineRun.against(platform);
    assertThat(whoami.run("whoami")).as(whoami.err()).isZero();
    assertThat(whoami.out())
        .contains(platform.url(), "ci (key_k1)", "consumer", "default", "thread:a");
  }

  /** As {@code sandboxer ls | head -1} once head has its line. */
  @Test
  void whoeverReadsNoFurtherEndsItWithoutAMessage() throws IOException {
    Process reader =
        new ProcessBuilder("sh", "-c", "exec 0<&-; echo closed; exec sleep 60").start();
    try {
      assertThat(reader.inputReader().readLine()).isEqualTo("closed");
      for (String[] call :
          new String[][] {{"ls"}, {"ls", "--json"}, {"exec", StandIn.ID, "echo", "x"}}) {
        CommandLineRun run = CommandLineRun.against(platform).out(reader.getOutputStream());
        assertThat(run.run(call)).as(run.err()).isEqualTo(128 + 13);
        assertThat(run.err()).isEmpty();
      }
    } finally {
      reader.destroyForcibly();
    }
  }

  @Test
  void destroyIsRm() {
    CommandLineRun destroy = CommandLineRun.against(platform);
    assertThat(destroy.run("destroy", StandIn.ID)).as(destroy.err()).isZero();
    assertThat(destroy.out()).contains(StandIn.ID + " destroyed");
  }
}
