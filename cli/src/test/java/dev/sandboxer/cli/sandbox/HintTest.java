package dev.sandboxer.cli.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandboxer.cli.support.CommandLineRun;
import dev.sandboxer.cli.support.StandIn;
import dev.sandboxer.dataplane.exec.CommandEnd;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HintTest {

  private static CommandEnd failed(int code) {
    return new CommandEnd(code, null, Duration.ZERO, false, 0);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "network.mode|curl: (6) Could not resolve host: example.com",
        "network.mode|socket.gaierror: [Errno -3] Temporary failure in name resolution",
        "network.mode|Error: getaddrinfo ENOTFOUND packages.example.org",
        "network.mode|dial tcp: lookup modules.example.org: no such host",
        "network.mode|wget: bad address 'example.com'",
        "network.mode|connect: Network is unreachable",
        "network.mode|java.net.UnknownHostException: repository.example.org",
        "mounts|touch: cannot touch '/usr/x': Read-only file system",
        "resources.workspace, resources.tmp|OSError: [Errno 28] No space left on device",
        "resources.pids|bash: fork: retry: Resource temporarily unavailable",
        "resources.pids|sh: 1: Cannot fork",
        "resources.pids|RuntimeError: can't start new thread",
        "resources.open_files|OSError: [Errno 24] Too many open files",
        "resources.memory|fatal error: Cannot allocate memory",
        "resources.memory|java.lang.OutOfMemoryError: Java heap space",
        "resources.memory|FATAL ERROR: JavaScript heap out of memory",
      })
  void theKeyIsNamed(String key, String errors) {
    assertThat(Hint.of(failed(1), "first\n" + errors + "\nlast\n"))
        .hasValueSatisfying(hint -> assertThat(hint.key()).isEqualTo(key));
  }

  @Test
  void whoeverIsKilledHadTooLittleMemory() {
    assertThat(Hint.of(failed(137), "")).get().extracting(Hint::key).isEqualTo("resources.memory");
    assertThat(Hint.of(new CommandEnd(null, "SIGKILL", Duration.ZERO, false, 0), ""))
        .get()
        .extracting(Hint::key)
        .isEqualTo("resources.memory");
    assertThat(Hint.of(new CommandEnd(null, "SIGKILL", Duration.ZERO, true, 0), ""))
        .as("the time was over")
        .isEmpty();
  }

  @Test
  void whatTheKernelCountedGoesBeforeWhatTheCommandSays() {
    assertThat(Hint.of(new CommandEnd(1, null, Duration.ZERO, false, 2), "Cannot fork"))
        .get()
        .satisfies(hint -> assertThat(hint.key()).isEqualTo("resources.memory"))
        .satisfies(hint -> assertThat(hint.text()).contains("ended 2 processes"));
    assertThat(Hint.of(new CommandEnd(0, null, Duration.ZERO, false, 1), "")).isEmpty();
  }

  @Test
  void aCommandThatDidWellOrFailedByItselfGetsNone() {
    assertThat(Hint.of(failed(0), "Could not resolve host: x")).isEmpty();
    assertThat(Hint.of(failed(1), "AssertionError: 3 != 4")).isEmpty();
    assertThat(Hint.of(failed(7), "curl: (7) Failed to connect to localhost: Connection refused"))
        .isEmpty();
  }

  @Test
  void execTellsItOnceAndQuietDoesNot() throws IOException {
    try (StandIn platform = new StandIn()) {
      String command = "echo 'curl: (6) Could not resolve host: a.b' >&2; exit 6";
      CommandLineRun told = CommandLineRun.against(platform);
      assertThat(told.run("exec", StandIn.ID, "--", "sh", "-c", command)).isEqualTo(6);
      assertThat(told.err()).containsOnlyOnce("hint: ").contains("network.mode");
      CommandLineRun quiet = CommandLineRun.against(platform);
      assertThat(quiet.run("exec", "-q", StandIn.ID, "--", "sh", "-c", command)).isEqualTo(6);
      assertThat(quiet.err()).isEqualTo("curl: (6) Could not resolve host: a.b\n");
      CommandLineRun json = CommandLineRun.against(platform);
      assertThat(json.run("exec", "--json", StandIn.ID, "--", "sh", "-c", command)).isEqualTo(6);
      assertThat(json.out()).contains("\"profile_key\" : \"network.mode\"");
    }
  }

  @Test
  void theTestOfAProfileTellsItToo() throws IOException {
    try (StandIn platform = new StandIn()) {
      String command = "echo 'sh: 1: Cannot fork' >&2; exit 2";
      CommandLineRun told = CommandLineRun.against(platform);
      assertThat(told.run("profile", "test", "x", "--", "sh", "-c", command)).isEqualTo(2);
      assertThat(told.err()).containsOnlyOnce("hint: ").contains("resources.pids");
      CommandLineRun json = CommandLineRun.against(platform);
      assertThat(json.run("profile", "test", "--json", "x", "--", "sh", "-c", command))
          .isEqualTo(2);
      assertThat(json.out()).contains("\"profile_key\" : \"resources.pids\"");
      assertThat(json.err()).doesNotContain("hint: ");
    }
  }
}
