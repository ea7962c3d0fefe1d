package dev.sandboxer.cli.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandboxer.cli.support.CommandLineRun;
import dev.sandboxer.cli.support.StandIn;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class InspectVerbTest {
  private static final String SANDBOX = "GET /v1/sandboxes/" + StandIn.ID;

  private StandIn platform;

  @BeforeEach
  void start() throws IOException {
    platform = new StandIn();
  }

  @AfterEach
  void stop() throws IOException {
    platform.close();
  }

  private String inspect(String... more) {
    CommandLineRun inspect = CommandLineRun.against(platform);
    String[] words = new String[more.length + 2];
    words[0] = "inspect";
    words[1] = StandIn.ID;
    System.arraycopy(more, 0, words, 2, more.length);
    assertThat(inspect.run(words)).as(inspect.err()).isZero();
    return inspect.out();
  }

  private static JsonObject failed() {
    return new JsonObject()
        .put("id", StandIn.ID)
        .put("state", "failed")
        .put("profile_id", "profile.big")
        .put("profile_version", 3)
        .put("extension_id", "ext.nsjail")
        .put("host", "build-1\u001b[2J")
        .put("conditions", new JsonArray())
        .put(
            "failure",
            new JsonObject()
                .put("code", "OOM")
                .put("message", "the kernel ended processes")
                .put("retryable", false)
                .put("profile_key", "resources.memory"))
        .put("cleanup", "done")
        .put("created_at", "2026-01-01T00:00:00Z")
        .put("ended_at", "2026-01-01T00:00:02Z");
  }

  @Test
  void aFailureIsShownWithTheKeyThatWouldChangeIt() {
    platform.next(SANDBOX, StandIn.text(200, failed().encode()));
    assertThat(inspect())
        .contains(StandIn.ID + "  failed", "profile.big, version 3")
        .contains("the kernel ended processes (OOM)")
        .contains("-> the profile's resources.memory would change that")
        .contains("build-1\\u001b[2J")
        .doesNotContain("\u001b");
  }

  @Test
  void limitsComeFromTheProfileAndWhatIsNotEnforcedIsSaid() {
    platform.notEnforced("memory", "pids");
    platform.next(
        "GET /v1/profiles/profile.local@0",
        StandIn.text(
            200,
            """
            {"resources": {"cpus": 1.5, "memory_bytes": 536870912, "pids": 128,
             "workspace_bytes": 1, "tmp_bytes": 1, "open_files": 1024}, "hard_ttl_seconds": 60}
            """));
    assertThat(inspect())
        .contains("cpus 1.5, memory 512.0 MiB, pids 128")
        .contains("not enforced memory pids (this machine cannot");
  }

  @Test
  void eventsAreTheHistoryWhereThePlatformTellsThem() {
    platform.next(
        SANDBOX + "/events",
        StandIn.text(
            200,
            """
            {"items": [
              {"type": "sandbox.requested", "occurred_at": "2026-01-01T00:00:00Z"},
              {"type": "sandbox.image_pull", "occurred_at": "2026-01-01T00:00:01Z"},
              {"type": "sandbox.failed", "occurred_at": "2026-01-01T00:00:04Z",
               "detail": {"error": "no such image"}}], "next_cursor": null}
            """));
    assertThat(inspect())
        .containsPattern("2026-01-01T00:00:00Z +requested")
        .containsPattern("2026-01-01T00:00:01Z +\\+1\\.0 s +image_pull")
        .containsPattern("2026-01-01T00:00:04Z +\\+3\\.0 s +failed: no such image");
  }

  @Test
  void withoutEventsTheRecordsInstantsAre() {
    assertThat(inspect())
        .containsPattern("00:00Z +created\\n +2026-01-01T00:00:00.028Z +\\+28 ms +ready");
  }

  @Test
  void jsonIsTheApisBody() {
    platform.next(SANDBOX, StandIn.text(200, failed().encode()));
    assertThat(new JsonObject(inspect("--json"))).isEqualTo(failed());
  }

  @Test
  void anErrorOfThePlatformIsNotTakenForNothing() {
    platform.next(
        SANDBOX + "/events",
        StandIn.problem(503, "DATABASE_UNAVAILABLE", "gone", new JsonObject()));
    CommandLineRun inspect = CommandLineRun.against(platform);
    assertThat(inspect.run("inspect", StandIn.ID)).isEqualTo(125);
    assertThat(inspect.err()).contains("DATABASE_UNAVAILABLE");
  }
}
