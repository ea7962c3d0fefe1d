package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** {@code sandboxer shell} and {@code exec -it} at a real terminal, with a real sandbox. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ShellCliTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String CONTROL_C = "\u0003";

  private Platform platform;
  private Map<String, String> settings;
  private String id;
  private Cli cli;

  @BeforeAll
  void start() {
    settings = Platform.onOnePort();
    platform = Platform.start(settings);
    id = platform.api().ready().path("id").asText();
    cli = new Cli(platform);
  }

  @AfterAll
  void stop() {
    platform.close();
  }

  @Test
  void theShellKnowsTheSizeSeesItChangeAndItsExitCodeIsOurs() throws Exception {
    try (TerminalCall shell = new TerminalCall(cli, "shell", id)) {
      shell.type("stty size; echo be''gun\r");
      shell.awaits("begun\r\n").awaits("30 100");
      shell.type("until stty size | grep -q '50 120'; do sleep 0.05; done; echo resi''zed\r");
      shell.resize(120, 50);
      shell.awaits("resized\r\n");
      shell.type("exit 7\r");
      assertThat(shell.ended()).isEqualTo(7);
    }
  }

  @Test
  void controlCReachesTheProgramInFrontAndNothingElse() {
    try (TerminalCall shell = new TerminalCall(cli, "shell", id)) {
      shell.type("sleep 4711\r");
      await().atMost(PATIENCE).until(() -> Host.processes("sleep", "4711").count() == 1);
      shell.type(CONTROL_C);
      await().atMost(PATIENCE).until(() -> Host.processes("sleep", "4711").findAny().isEmpty());
      shell.type("echo co''de $?\r");
      shell.awaits("code 130\r\n");
      shell.type("exit\r");
      assertThat(shell.ended()).isZero();
    }
  }

  @Test
  void fullScreenProgramsWork() {
    try (TerminalCall shell = new TerminalCall(cli, "shell", id)) {
      shell.type("vi -u NONE new-file\r");
      shell.awaits("~");
      shell.type("ihello from vi\u001b:wq\r");
      shell
          .awaits("written")
          .awaits("\u001b[?1049l"); // it has left the screen: keys are the shell's
      shell.type("cat new-file; rm new-file; echo vi en''ded\r");
      shell.awaits("hello from vi\r\n").awaits("vi ended\r\n");
      shell.type("top -d 47.11\r");
      shell.awaits("PID USER");
      shell.type("q");
      await().atMost(PATIENCE).until(() -> Host.processes("top", "47.11").findAny().isEmpty());
      shell.type("exit 0\r");
      assertThat(shell.ended()).isZero();
    }
  }

  @Test
  void aTildeAndADotHangUpAndNothingGoesOnInside() {
    try (TerminalCall shell = new TerminalCall(cli, "shell", id, "--", "sh")) {
      shell.type("echo be''gun\r");
      shell.awaits("begun\r\n");
      shell.type("sleep 4712\r");
      await().atMost(PATIENCE).until(() -> Host.processes("sleep", "4712").count() == 1);
      shell.type("~.");
      assertThat(shell.ended()).isEqualTo(129);
      shell.awaits("hung up");
      await().atMost(PATIENCE).until(() -> Host.processes("sleep", "4712").findAny().isEmpty());
    }
  }

  @Test
  void theTerminalIsAsBeforeEvenWhenTheCommandLineIsKilled() {
    try (TerminalCall shell = new TerminalCall(cli, "shell", id)) {
      shell.type("echo be''gun\r");
      shell.awaits("begun\r\n");
      assertThat(shell.commandLine().destroyForcibly()).isTrue();
      assertThat(shell.ended()).isEqualTo(128 + 9);
    }
  }

  @Test
  void theTerminalIsAsBeforeAfterATermination() {
    try (TerminalCall shell = new TerminalCall(cli, "shell", id)) {
      shell.type("echo be''gun\r");
      shell.awaits("begun\r\n");
      assertThat(shell.commandLine().destroy()).isTrue();
      assertThat(shell.ended()).isEqualTo(128 + 15);
    }
  }

  @Test
  void aLostConnectionIsTold() {
    try (TerminalCall shell = new TerminalCall(cli, "shell", id)) {
      shell.type("echo be''gun\r");
      shell.awaits("begun\r\n");
      platform.kill();
      assertThat(shell.ended()).isEqualTo(125);
      assertThat(shell.shown()).containsPattern("sandboxer: the .*connection");
    } finally {
      platform.restart(settings);
    }
  }

  @Test
  void execGivesACommandATerminalAndPassesItsEnd() {
    try (TerminalCall exec =
        new TerminalCall(cli, "exec", "-it", id, "--", "sh", "-c", "stty size; read x; exit $x")) {
      exec.awaits("30 100");
      exec.type("9\r");
      assertThat(exec.ended()).isEqualTo(9);
    }
  }

  @Test
  void runGivesAShellInASandboxOfItsOwnWhichIsGoneAfterwards() {
    try (TerminalCall run = new TerminalCall(cli, "run", "-it")) {
      run.type("stty size; pwd; echo be''gun\r");
      run.awaits("begun\r\n").awaits("30 100").awaits("/workspace");
      assertThat(live()).isEqualTo(2);
      run.type("exit 6\r");
      assertThat(run.ended()).isEqualTo(6);
      assertThat(run.shown()).contains("destroyed");
    }
    assertThat(live()).isEqualTo(1);
  }

  @Test
  void aTerminalThatIsTakenAwayFromARunEndsItsSandbox() {
    try (TerminalCall run = new TerminalCall(cli, "run", "-it", "--", "sh", "-c", "echo up; cat")) {
      run.awaits("up\r\n");
      assertThat(run.commandLine().destroy()).isTrue();
      assertThat(run.ended()).isEqualTo(128 + 15);
    }
    assertThat(live()).isEqualTo(1);
    try (TerminalCall run = new TerminalCall(cli, "run", "-it", "--", "sh")) {
      run.type("echo be''gun\r");
      run.awaits("begun\r\n");
      run.type("~.");
      assertThat(run.ended()).isEqualTo(129);
    }
    assertThat(live()).isEqualTo(1);
  }

  private int live() {
    return platform.api().get("/v1/sandboxes?live=true").json().path("items").size();
  }

  @Test
  void withoutATerminalTheCallIsRefusedAndSaysWhatToUse() {
    Cli.Result shell = cli.run("shell", id);
    assertThat(shell.code()).isEqualTo(2);
    assertThat(shell.err()).contains("no terminal", "sandboxer exec " + id + " -- sh");
    assertThat(cli.run("exec", "-it", id, "--", "sh").code()).isEqualTo(2);
    Cli.Result run = cli.run("run", "-it");
    assertThat(run.code()).isEqualTo(2);
    assertThat(run.err()).contains("no terminal", "sandboxer run -- sh");
    assertThat(live()).as("nothing was made").isEqualTo(1);
  }

  @Test
  void aShellThatIsNotThereIsToldAsAShellTellsIt() {
    try (TerminalCall shell = new TerminalCall(cli, "shell", id, "--", "no-such-program")) {
      assertThat(shell.ended()).isEqualTo(127);
      assertThat(shell.shown()).contains("no-such-program");
    }
  }
}
