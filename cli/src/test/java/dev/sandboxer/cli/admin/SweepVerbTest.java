package dev.sandboxer.cli.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandboxer.cli.support.CommandLineRun;
import dev.sandboxer.cli.support.StandIn;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SweepVerbTest {
  private static final String ORDER = "POST /v1/sweeps";
  private static final String READ = "GET /v1/sweeps/swp_a1";
  private static final String RUNNING =
      """
      {"id": "swp_a1", "state": "running", "places": [
        {"extension": "ext.docker", "host": "n1", "state": "waiting", "result": null}]}
      """;
  private static final String DONE =
      """
      {"id": "swp_a1", "state": "done", "places": [
        {"extension": "ext.docker", "host": "n1", "state": "judged", "result":
          {"listed": 7, "recorded": 5, "suspects": 2, "wanted": 1, "removed": 1, "missing": 0,
           "failed_records": 0, "reason": null, "refused": null, "findings": [
             {"finding": "removed", "sandbox_id": "sb_a", "generation": 1, "attempt": 2,
              "provider_uid": "u\\u001b[31m"}]}}%s]}
      """;
  private static final String UNJUDGED =
      """
      , {"extension": "ext.docker", "host": "n2", "state": "unjudged",
         "result": {"reason": "it is down", "refused": null, "findings": []}}
      """;

  private StandIn platform;

  @BeforeEach
  void start() throws IOException {
    platform = new StandIn();
  }

  @AfterEach
  void stop() throws IOException {
    platform.close();
  }

  private CommandLineRun swept(String report, String... arguments) {
    platform.next(ORDER, StandIn.text(202, RUNNING));
    platform.next(READ, StandIn.text(200, report));
    CommandLineRun sweep = CommandLineRun.against(platform);
    sweep.run(arguments);
    return sweep;
  }

  @Test
  void waitsForTheReportAndShowsIt() {
    CommandLineRun sweep = swept(DONE.formatted(""), "sweep");
    assertThat(sweep.out())
        .as(sweep.err())
        .isEqualTo(
            """
            BACKEND     HOST  LISTED  RECORDED  SUSPECTS  REMOVED  MISSING  FAILED
            ext.docker  n1    7       5         2         1        0        0
            """);
    assertThat(sweep.err())
        .isEqualTo("ext.docker on n1: removed: sb_a, generation 1, attempt 2, u\\u001b[31m\n");
  }

  @Test
  void jsonIsTheReport() {
    CommandLineRun sweep = swept(DONE.formatted(""), "sweep", "--json", "--dry-run");
    assertThat(new JsonObject(sweep.out())).isEqualTo(new JsonObject(DONE.formatted("")));
  }

  @Test
  void whatWasNotJudgedIsAFailure() {
    platform.next(ORDER, StandIn.text(202, DONE.formatted(UNJUDGED)));
    CommandLineRun sweep = CommandLineRun.against(platform);
    assertThat(sweep.run("sweep")).isEqualTo(1);
    assertThat(sweep.err()).contains("ext.docker on n2: it is down");
  }

  @Test
  void aConfirmationIsForOneHost() {
    CommandLineRun sweep = CommandLineRun.against(platform);
    assertThat(sweep.run("sweep", "--confirm")).isNotZero();
    assertThat(sweep.err()).contains("--confirm needs --host");
  }

  @Test
  void aCleanUpIsForgottenByItsAttempt() {
    platform.next("POST /v1/cleanups/att_a1/forget", StandIn.text(204, ""));
    CommandLineRun forget = CommandLineRun.against(platform);
    assertThat(forget.run("cleanups", "forget", "att_a1")).as(forget.err()).isZero();
    assertThat(forget.out()).isEqualTo("att_a1 forgotten\n");
    CommandLineRun wrong = CommandLineRun.against(platform);
    assertThat(wrong.run("cleanups", "forget", "sb_a1")).isNotZero();
  }
}
