package dev.sandboxer.cli.box;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandboxer.cli.support.CommandLineRun;
import dev.sandboxer.cli.support.StandIn;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BoxExecTest {
  private static final String CALL = "POST /v1/boxes/box_a/exec";

  private StandIn platform;

  @BeforeEach
  void start() throws IOException {
    platform = new StandIn();
  }

  @AfterEach
  void stop() throws IOException {
    platform.close();
  }

  private static JsonObject reply() {
    return new JsonObject(
        """
        {"box_id": "box_a", "sandbox_id": "sb_b", "outcome": "found", "exit_code": 3,
         "signal": null, "stdout": "out\\n", "stderr": "err\\n", "stdout_encoding": "utf-8",
         "stderr_encoding": "utf-8", "stdout_truncated": false, "stderr_truncated": false,
         "timed_out": false, "duration_ms": 12}""");
  }

  private CommandLineRun exec(JsonObject reply, int code, String... options) {
    platform.next(CALL, StandIn.text(200, reply.encode()));
    CommandLineRun run = CommandLineRun.against(platform);
    assertThat(run.run(words(options))).as(run.err()).isEqualTo(code);
    return run;
  }

  private static String[] words(String... options) {
    String[] words = new String[options.length + 5];
    System.arraycopy(new String[] {"box", "exec", "box_a"}, 0, words, 0, 3);
    System.arraycopy(options, 0, words, 3, options.length);
    words[words.length - 2] = "--";
    words[words.length - 1] = "true";
    return words;
  }

  @Test
  void streamsAndExitCodeAreTheCommands() {
    CommandLineRun run = exec(reply(), 3);
    assertThat(run.out()).isEqualTo("out\n");
    assertThat(run.err()).isEqualTo("err\n");
  }

  @ParameterizedTest
  @CsvSource({
    "0, , false, 0",
    "300, , false, 44",
    ", SIGTERM, false, 143",
    ", KILL, false, 137",
    ", SIGKILL, true, 124"
  })
  void theExitCodeIsAsForExec(Integer code, String signal, boolean timedOut, int expected) {
    var _ =
        exec(
            reply().put("exit_code", code).put("signal", signal).put("timed_out", timedOut),
            expected,
            "-q");
  }

  @Test
  void bytesComeOutAsTheyAre() {
    CommandLineRun run = exec(reply().put("stdout", "/wAK").put("stdout_encoding", "base64"), 3);
    assertThat(run.outBytes()).isEqualTo(new byte[] {(byte) 0xff, 0, 10});
  }

  @Test
  void whatIsMissingAndWhatWasLostIsSaid() {
    JsonObject lost =
        new JsonObject("{\"sandbox_id\": \"sb_old\", \"what\": \"its\\u001b processes\"}");
    CommandLineRun run =
        exec(
            reply()
                .put("outcome", "vanished")
                .put("lost", lost)
                .put("stdout_truncated", true)
                .put("stderr", "big: No space left on device\n"),
            3);
    assertThat(run.out()).isEqualTo("out\n");
    assertThat(run.err())
        .isEqualTo(
            """
            the box's sandbox had ended; it was made again: sb_b
            lost with sb_old: its\\u001b processes
            big: No space left on device
            stdout is clipped: the command wrote more than what is here
            hint: no room is left: the profile's resources.workspace is the size of /workspace, resources.tmp that of /tmp
            """);
  }

  @Test
  void jsonIsTheApisAnswerWithTheSameExitCode() {
    JsonObject reply = reply().put("outcome", "vanished").put("stderr_truncated", true);
    CommandLineRun run = exec(reply, 3, "--json");
    assertThat(new JsonObject(run.out())).isEqualTo(reply);
    assertThat(run.err()).isEmpty();
  }

  @Test
  void theCommandReachesTheApiWithItsInput() {
    List<JsonObject> sent = new CopyOnWriteArrayList<>();
    StandIn.Reply heard = StandIn.recording(sent, 200, reply().encode());
    platform.next(CALL, heard).next(CALL, heard);
    CommandLineRun with = CommandLineRun.against(platform).stdin("in\nä");
    String call = "box exec box_a --cwd /tmp --env A=b --timeout 2m -i -- sh -c exit";
    assertThat(with.run(call.split(" ", -1))).isEqualTo(3);
    CommandLineRun without = CommandLineRun.against(platform).stdin("not read");
    assertThat(without.run("box", "exec", "box_a", "ls")).isEqualTo(3);
    assertThat(sent)
        .containsExactly(
            new JsonObject(
                """
                {"command": ["sh", "-c", "exit"], "cwd": "/tmp", "env": {"A": "b"},
                 "timeout_ms": 120000, "stdin": "in\\nä"}"""),
            new JsonObject("{\"command\": [\"ls\"]}"));
  }

  @Test
  void inputThatIsTooLargeOrNoTextIsNotSent() {
    CommandLineRun large = CommandLineRun.against(platform).stdin("a".repeat(1_000_001));
    assertThat(large.run(words("--stdin"))).isEqualTo(2);
    assertThat(large.err()).contains("more than 1000000 bytes", "sandboxer cp -");
    CommandLineRun bytes = CommandLineRun.against(platform).stdin(new byte[] {'a', (byte) 0xc3});
    assertThat(bytes.run(words("--stdin"))).isEqualTo(2);
    assertThat(bytes.err()).contains("no UTF-8", "sandboxer cp -");
    assertThat(platform.calls).isEmpty();
    platform.next(CALL, StandIn.text(200, reply().encode()));
    CommandLineRun fits = CommandLineRun.against(platform).stdin("a".repeat(1_000_000));
    assertThat(fits.run(words("-i"))).as(fits.err()).isEqualTo(3);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "[]",
        "null",
        "\"done\"",
        "{\"exit_code\": \"0\"}",
        "{\"exit_code\": 0, \"stdout\": \"%%\", \"stdout_encoding\": \"base64\"}",
        "no JSON"
      })
  void aHostileReplyIsAFailureOfSandboxer(String reply) {
    platform.next(CALL, StandIn.text(200, reply));
    CommandLineRun run = CommandLineRun.against(platform);
    assertThat(run.run(words())).as(run.err()).isEqualTo(125);
    assertThat(run.err()).startsWith("sandboxer: ").doesNotContain("defect");
    assertThat(run.out()).isEmpty();
  }

  @Test
  void aRefusalIsToldAndNotTheCommandsExitCode() {
    platform.next(CALL, StandIn.problem(404, "NOT_FOUND", "there is no box", new JsonObject()));
    CommandLineRun run = CommandLineRun.against(platform);
    assertThat(run.run(words())).isEqualTo(125);
    assertThat(run.err()).isEqualTo("sandboxer: there is no box (NOT_FOUND, req_7)\n");
  }
}
