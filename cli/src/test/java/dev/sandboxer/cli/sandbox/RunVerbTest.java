package dev.sandboxer.cli.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.cli.support.CommandLineRun;
import dev.sandboxer.cli.support.StandIn;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunVerbTest {
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
  void passesOutputOnAndEndsWithOneLine() {
    CommandLineRun run = CommandLineRun.against(platform);
    assertThat(run.run("run", "--", "sh", "-c", "echo out; echo bad >&2")).isZero();
    assertThat(run.out()).isEqualTo("out\n");
    assertThat(run.err())
        .contains("bad\n")
        .endsWith("nsjail, ready in 28 ms, ran 0.4 s, destroyed\n");
    assertThat(platform.calls).contains("DELETE /v1/sandboxes/" + StandIn.ID);
    assertThat(platform.keys.getFirst()).isEqualTo("Bearer " + StandIn.KEY);
  }

  @Test
  void saysWhatIsNotEnforced() {
    platform.notEnforced("memory", "pids");
    CommandLineRun run = CommandLineRun.against(platform);
    assertThat(run.run("run", "--quiet", "--", "true")).isZero();
    assertThat(run.err())
        .isEqualTo("nsjail, ready in 28 ms, ran 0.4 s, destroyed, not enforced: memory pids\n");
  }

  @Test
  void exitsAsTheCommandDid() {
    assertThat(CommandLineRun.against(platform).run("run", "--", "sh", "-c", "exit 7"))
        .isEqualTo(7);
    assertThat(CommandLineRun.against(platform).run("run", "sh", "-c", "kill -9 $$"))
        .isEqualTo(137);
    assertThat(CommandLineRun.against(platform).run("run", "--", "no-such-program")).isEqualTo(127);
  }

  @Test
  void forwardsStandardInputAndItsEnd() {
    CommandLineRun run = CommandLineRun.against(platform).stdin("one\ntwo\n");
    assertThat(run.run("run", "--", "cat")).isZero();
    assertThat(run.out()).isEqualTo("one\ntwo\n");
  }

  @Test
  void aTerminalIsNotForwardedUnlessAsked() {
    CommandLineRun quiet = CommandLineRun.against(platform).stdin("typed").terminal();
    assertThat(quiet.run("run", "--", "cat")).isZero();
    assertThat(quiet.out()).isEmpty();
    CommandLineRun asked = CommandLineRun.against(platform).stdin("typed").terminal();
    assertThat(asked.run("run", "-i", "--", "cat")).isZero();
    assertThat(asked.out()).isEqualTo("typed");
  }

  @Test
  void bytesArriveAsTheyAre() {
    CommandLineRun run = CommandLineRun.against(platform);
    assertThat(run.run("run", "--", "sh", "-c", "head -c 20000000 /dev/zero; printf '\\377\\000'"))
        .isZero();
    assertThat(run.outBytes()).hasSize(20_000_002).endsWith((byte) 0xff, (byte) 0);
  }

  @Test
  void environmentReachesTheCommandOnly() {
    CommandLineRun run = CommandLineRun.against(platform);
    assertThat(run.run("run", "-e", "COLOUR=blue=green", "--", "sh", "-c", "echo $COLOUR"))
        .isZero();
    assertThat(run.out()).isEqualTo("blue=green\n");
    assertThat(platform.bodies.getFirst().containsKey("env")).isFalse();
  }

  @Test
  void foldersGoInAndComeOut(@TempDir Path in, @TempDir Path out) throws IOException {
    Files.writeString(in.resolve("a.txt"), "hello");
    Files.createDirectory(in.resolve("deep"));
    Files.createSymbolicLink(in.resolve("deep/link"), Path.of("../a.txt"));
    Files.createSymbolicLink(in.resolve("away"), Path.of("/etc/passwd"));
    CommandLineRun run = CommandLineRun.against(platform);
    String work = "tr a-z A-Z < deep/link > b.txt; chmod +x b.txt";
    assertThat(
            run.run("run", "--in", in.toString(), "--out", out.toString(), "--", "sh", "-c", work))
        .isZero();
    assertThat(out.resolve("b.txt")).hasContent("HELLO").isExecutable();
    assertThat(Files.readSymbolicLink(out.resolve("deep/link"))).isEqualTo(Path.of("../a.txt"));
    assertThat(out.resolve("away")).doesNotExist();
    assertThat(run.err())
        .contains("copied in 2 files, 5 B", "away -> /etc/passwd", "brought out 3 files");
  }

  @Test
  void printsOneJsonDocument() throws IOException {
    CommandLineRun run = CommandLineRun.against(platform);
    assertThat(run.run("run", "--json", "--", "sh", "-c", "echo ok; printf '\\377' >&2; exit 3"))
        .isEqualTo(3);
    JsonNode document = new ObjectMapper().readTree(run.out());
    assertThat(document.path("sandbox_id").asText()).isEqualTo(StandIn.ID);
    assertThat(document.path("exit_code").asInt()).isEqualTo(3);
    assertThat(document.path("stdout").asText()).isEqualTo("ok\n");
    assertThat(document.path("stderr_encoding").asText()).isEqualTo("base64");
    assertThat(document.path("destroyed").asBoolean()).isTrue();
  }

  @Test
  void tellsTheApisReason() throws IOException {
    platform.next(
        "POST /v1/sandboxes",
        StandIn.problem(400, "VALIDATION", "there is no profile nope", new JsonObject()));
    CommandLineRun run = CommandLineRun.against(platform);
    assertThat(run.run("run", "--json", "--profile", "nope", "--", "true")).isEqualTo(125);
    assertThat(run.err()).contains("there is no profile nope (VALIDATION, req_7)");
    assertThat(new ObjectMapper().readTree(run.out()).path("error").path("code").asText())
        .isEqualTo("VALIDATION");
    assertThat(platform.count(call -> call.startsWith("DELETE"))).isZero();
  }

  @Test
  void aSandboxThatFailedIsDestroyed() {
    platform.next(
        "POST /v1/sandboxes",
        StandIn.problem(
            503, "CAPACITY", "no room", new JsonObject().put("sandbox_id", StandIn.ID)));
    CommandLineRun run = CommandLineRun.against(platform);
    assertThat(run.run("run", "--", "true")).isEqualTo(125);
    assertThat(run.err()).contains("no room");
    assertThat(platform.calls).contains("DELETE /v1/sandboxes/" + StandIn.ID);
  }

  @Test
  void aLostAnswerIsAskedForUnderTheSameKey() {
    platform.next("POST /v1/sandboxes", StandIn.lost());
    assertThat(CommandLineRun.against(platform).run("run", "--", "true")).isZero();
    assertThat(platform.idempotencyKeys)
        .hasSizeGreaterThanOrEqualTo(2)
        .containsOnly(platform.idempotencyKeys.getFirst());
  }

  @Test
  void aLostConnectionEndsInFailureAndTheSandboxIsDestroyed() {
    CommandLineRun run = CommandLineRun.against(platform);
    assertThat(run.run("run", "--", "vanish")).isEqualTo(125);
    assertThat(run.err()).contains("closed the connection").contains("destroyed");
    assertThat(platform.calls).contains("DELETE /v1/sandboxes/" + StandIn.ID);
  }

  @Test
  void aSandboxThatCannotBeDestroyedIsNamed() {
    platform.next(
        "DELETE /v1/sandboxes/" + StandIn.ID,
        StandIn.problem(503, "BACKEND_UNAVAILABLE", "busy", new JsonObject()));
    CommandLineRun run = CommandLineRun.against(platform);
    assertThat(run.run("run", "--", "true")).isZero();
    assertThat(run.err()).contains("NOT destroyed: busy").contains("sandboxer rm " + StandIn.ID);
  }

  @Test
  void wrongCallsAreToldWithoutCallingAnybody(@TempDir Path folder) throws IOException {
    Path file = Files.writeString(folder.resolve("file"), "");
    String[][] wrong = {
      {"run"},
      {"run", "--"},
      {"runn", "--", "true"},
      {"run", "--inn", "x", "--", "true"},
      {"run", "--in", file.toString(), "--", "true"},
      {"run", "--out", file.toString(), "--", "true"},
      {"run", "--timeout", "0", "--", "true"},
      {"run", "--timeout", "soon", "--", "true"},
      {"run", "--env", "NOVALUE", "--", "true"},
      {"exec", "../keys", "--", "true"},
      {"rm"},
      {"rm", "--all", "sb_a"},
      {"get", "sb_A"},
      {}
    };
    for (String[] call : wrong) {
      CommandLineRun run = CommandLineRun.against(platform);
      assertThat(run.run(call)).as(String.join(" ", call)).isEqualTo(2);
      assertThat(run.err()).as(String.join(" ", call)).startsWith("sandboxer: ");
    }
    assertThat(platform.calls).isEmpty();
  }

  @Test
  void aVerbThatDoesNotExistGetsAHint() {
    CommandLineRun run = new CommandLineRun();
    assertThat(run.run("runn")).isEqualTo(2);
    assertThat(run.err()).contains("did you mean 'run'?");
  }

  @Test
  void noPlatformIsToldWithWhatToDo() {
    CommandLineRun run =
        new CommandLineRun().with("SANDBOXER_URL", "http://127.0.0.1:1").with("SANDBOXER_KEY", "x");
    assertThat(run.run("run", "--", "true")).isEqualTo(125);
    assertThat(run.err()).contains("./sandboxer up");
  }

  @Test
  void somethingElseThatAnswersIsTold() {
    platform.next("POST /v1/sandboxes", StandIn.text(200, "<html>"));
    CommandLineRun run = CommandLineRun.against(platform);
    assertThat(run.run("run", "--", "true")).isEqualTo(125);
    assertThat(run.err()).contains("is it a Sandboxer platform?");
  }
}
