package dev.sandboxer.platform.dataplane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.platform.token.Capability;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** The platform's own commands in a real boxd. */
@ParameterizedClass
@EnumSource
class SandboxCommandsTest {

  private static final Duration LONG = Duration.ofMinutes(5);
  private static final Duration SHORT = Duration.ofSeconds(2);

  @Parameter Via via;

  private final RelayHarness relay = new RelayHarness();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  @SuppressWarnings("NullAway.Init") // set before each test
  private RealBoxd boxd;

  @BeforeEach
  void start() throws Exception {
    boxd = RealBoxd.start(via, relay.keys, relay.issuer, RelayHarness.ID, 1);
    relay.boxdClient.configure(RelayHarness.ID, 1, boxd.address(), Map.of("A", "b"), 600, LONG);
    relay.put(1, 0, boxd.address());
  }

  @AfterEach
  void close() throws IOException {
    threads.shutdownNow();
    boxd.close();
    relay.close();
  }

  private CommandResult sh(String line) throws InterruptedException {
    return relay.commands.run(RelayHarness.ID, Command.shell(LONG, line));
  }

  private Future<CommandResult> later(Command command) {
    return threads.submit(() -> relay.commands.run(RelayHarness.ID, command));
  }

  private Future<CommandResult> later(String line) {
    return later(Command.shell(LONG, line));
  }

  /** The process whose id a command wrote into a file of the workspace. */
  private ProcessHandle process(String file) {
    Path path = boxd.workspace().resolve(file);
    await().until(() -> Files.exists(path) && Files.readString(path).endsWith("\n"));
    try {
      return ProcessHandle.of(Long.parseLong(Files.readString(path).strip())).orElseThrow();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Something that goes on in the sandbox and is no business of any command. */
  private ProcessHandle other() throws InterruptedException {
    sh("setsid sh -c 'echo $$ > other; exec sleep 600' >/dev/null 2>&1 &");
    return process("other");
  }

  private static void isUnreachable(Future<CommandResult> command) {
    assertThatThrownBy(command::get)
        .cause()
        .isInstanceOfSatisfying(
            ProblemException.class,
            e -> {
              assertThat(e.problem().code()).isEqualTo(ErrorCode.SANDBOX_UNREACHABLE);
              assertThat(e.problem().retryable()).isTrue();
            });
  }

  private void isRefused(Command command, ErrorCode code, String message) {
    assertThatThrownBy(() -> relay.commands.run(RelayHarness.ID, command))
        .isInstanceOfSatisfying(
            ProblemException.class, e -> assertThat(e.problem().code()).isEqualTo(code))
        .hasMessageContaining(message);
  }

  @Test
  void a_command_has_its_folder_variables_and_input_and_an_exit_code() throws Exception {
    Files.createDirectory(boxd.workspace().resolve("sub"));
    CommandResult result =
        relay.commands.run(
            RelayHarness.ID,
            new Command(
                List.of("sh", "-c", "basename $(pwd); echo $A$B; cat; echo no >&2; exit 7"),
                Optional.of("sub"),
                Map.of("B", "c"),
                LONG,
                Optional.of(Buffer.buffer(new byte[] {'h', (byte) 0xff}))));

    assertThat(result.exitCode()).contains(7);
    assertThat(result.signal()).isEmpty();
    assertThat(result.timedOut()).isFalse();
    assertThat(result.duration()).isPositive().isLessThan(LONG);
    assertThat(result.stdout().bytes())
        .isEqualTo(Buffer.buffer("sub\nbc\nh").appendByte((byte) 0xff));
    assertThat(result.stdout().utf8()).isEmpty();
    assertThat(result.stdout().text()).isEqualTo("sub\nbc\nh\ufffd");
    assertThat(result.stderr()).isEqualTo(new CommandOutput(Buffer.buffer("no\n"), false));
    assertThat(sh("exit 0").exitCode()).contains(0);
  }

  @Test
  void a_signal_is_named() throws Exception {
    CommandResult result = sh("echo before; kill -TERM $$");
    assertThat(result.exitCode()).isEmpty();
    assertThat(result.signal()).contains("SIGTERM");
    assertThat(result.stdout().utf8()).contains("before\n");
  }

  @Test
  void more_output_than_the_limit_is_clipped_and_said() throws Exception {
    limits("exec_output_bytes", 1000); // this bounds answers in one value
    CommandResult result =
        sh("head -c 64000000 /dev/zero; yes € | tr -d '\\n' | head -c 64000000 >&2; exit 3");

    assertThat(result.exitCode()).contains(3);
    assertThat(result.stdout().clipped()).isTrue();
    assertThat(result.stdout().bytes())
        .isEqualTo(Buffer.buffer(new byte[SandboxCommands.OUTPUT_LIMIT]));
    assertThat(result.stderr().clipped()).isTrue();
    // The limit lies within a character, which is left out.
    assertThat(result.stderr().utf8()).contains("€".repeat(SandboxCommands.OUTPUT_LIMIT / 3));
    assertThat(sh("head -c 1048576 /dev/zero").stdout().clipped()).isFalse();
  }

  @Test
  void a_timeout_kills_what_the_command_started_and_nothing_else() throws Exception {
    ProcessHandle other = other();
    CommandResult result =
        relay.commands.run(
            RelayHarness.ID,
            Command.shell(SHORT, "setsid sleep 600 & echo $! > child; echo before; wait"));

    assertThat(result.timedOut()).isTrue();
    assertThat(result.signal()).contains("SIGKILL");
    assertThat(result.stdout().utf8()).contains("before\n");
    assertThat(result.duration()).isBetween(SHORT, SHORT.multipliedBy(10)); // boxd's own is 60 s
    Path child = boxd.workspace().resolve("child");
    assertThat(ProcessHandle.of(Long.parseLong(Files.readString(child).strip()))).isEmpty();
    assertThat(other.isAlive()).isTrue();
    assertThat(sh("echo on").stdout().utf8()).contains("on\n");
  }

  @Test
  void an_interrupted_call_ends_its_command_and_no_other() throws Exception {
    ProcessHandle other = other();
    Future<CommandResult> command = later("sleep 600 & echo $! > child; wait");
    ProcessHandle child = process("child");
    assertThat(relay.streams.targets()).isNotEmpty();

    command.cancel(true);
    await().until(() -> !child.isAlive());
    await().until(() -> relay.streams.count() == 0);
    assertThat(other.isAlive()).isTrue();
    assertThat(sh("echo on").stdout().utf8()).contains("on\n");
  }

  /** As idle ends ask it: a target that has something open is in use. */
  @Test
  void a_command_is_use_for_as_long_as_it_runs() throws Exception {
    int before = relay.targets.uses.get();
    Future<CommandResult> command = later("echo $$ > pid; while [ ! -e go ]; do sleep 0.01; done");
    process("pid");
    assertThat(relay.streams.targets())
        .extracting(DataplaneTargets.Target::sandboxId)
        .containsExactly(RelayHarness.ID);
    assertThat(relay.targets.uses.get()).isEqualTo(before + 1);

    Files.createFile(boxd.workspace().resolve("go"));
    assertThat(command.get().exitCode()).contains(0);
    assertThat(relay.streams.count()).isZero();
  }

  @Test
  void the_end_of_the_sandbox_cuts_the_call_and_a_revocation_of_tokens_does_not() throws Exception {
    Future<CommandResult> command = later("sleep 600 & echo $! > child; wait");
    ProcessHandle child = process("child");
    for (OpenStreams.Scope scope : OpenStreams.Scope.values()) {
      String id = scope == OpenStreams.Scope.SANDBOX ? RelayHarness.ID.raw() : "";
      assertThat(relay.streams.cut(scope, id, Long.MAX_VALUE)).isZero();
    }

    assertThat(relay.streams.close(RelayHarness.ID, 1)).isEqualTo(1);
    isUnreachable(command);
    await().until(() -> !child.isAlive());
  }

  @Test
  void a_boxd_that_goes_is_unreachable() throws Exception {
    Future<CommandResult> command = later("echo $$ > pid; exec sleep 600");
    ProcessHandle child = process("pid");
    boxd.kill();

    isUnreachable(command);
    isRefused(Command.of(LONG, "true"), ErrorCode.SANDBOX_UNREACHABLE, "cannot be reached");
    child.destroyForcibly();
  }

  @Test
  void what_cannot_be_started_says_why() {
    isRefused(Command.of(LONG), ErrorCode.VALIDATION, "command names no program");
    isRefused(Command.of(LONG, "no-such-program"), ErrorCode.VALIDATION, "no-such-program");
    isRefused(
        new Command(List.of("true"), Optional.of("missing"), Map.of(), LONG, Optional.empty()),
        ErrorCode.VALIDATION,
        "missing");
    isRefused(
        new Command(
            List.of("cat"),
            Optional.empty(),
            Map.of(),
            LONG,
            Optional.of(Buffer.buffer(new byte[1 << 20]))),
        ErrorCode.TOO_LARGE,
        "limits.json_bytes");
  }

  @Test
  void commands_beyond_the_limit_of_the_sandbox_are_refused() throws Exception {
    limits("processes", 1);
    Future<CommandResult> command = later("echo $$ > pid; while [ ! -e go ]; do sleep 0.01; done");
    process("pid");
    isRefused(Command.of(LONG, "true"), ErrorCode.QUOTA_EXCEEDED, "limits.processes");

    Files.createFile(boxd.workspace().resolve("go"));
    assertThat(command.get().exitCode()).contains(0);
    assertThat(sh("exit 5").exitCode()).contains(5);
  }

  @Test
  void many_commands_at_once_get_their_own_results() throws Exception {
    List<Future<CommandResult>> all = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      all.add(later("echo " + i + "; exit " + i));
    }
    for (int i = 0; i < 60; i++) {
      assertThat(all.get(i).get().exitCode()).contains(i);
      assertThat(all.get(i).get().stdout().utf8()).contains(i + "\n");
    }
  }

  @Test
  void output_that_finds_no_room_is_clipped_and_room_comes_back() throws Exception {
    SandboxCommands commands = new SandboxCommands(relay.calls, new OutputMemory(1_000, 500));
    for (int i = 0; i < 5; i++) {
      CommandResult result =
          commands.run(RelayHarness.ID, Command.shell(LONG, "printf %400s x; printf %600s x >&2"));
      assertThat(result.stdout().clipped()).isFalse();
      assertThat(result.stdout().bytes().length()).isEqualTo(400);
      assertThat(result.stderr()).isEqualTo(new CommandOutput(Buffer.buffer(), true));
    }
  }

  private void limits(String name, int value) throws InterruptedException {
    JsonObject limits = new JsonObject().put("limits", new JsonObject().put(name, value));
    Answer answer =
        relay.calls.call(
            RelayHarness.ID,
            Capability.ADMIN,
            "POST",
            "/v1/control/configure",
            limits.toBuffer(),
            LONG,
            100);
    assertThat(answer.status()).isEqualTo(204);
  }
}
