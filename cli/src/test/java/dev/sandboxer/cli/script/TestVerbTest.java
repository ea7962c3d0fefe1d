package dev.sandboxer.cli.script;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@code ./sandboxer test} makes of what Maven says; a stand-in plays Maven. */
class TestVerbTest {

  private static final Path CHECKOUT = Path.of("..").toAbsolutePath().normalize();

  /** The real script's parts, without what would fetch or build something. */
  private static final String DRIVER =
      """
      set -euo pipefail
      top=$1 home=$2 own_umask=022
      PATH=$home/bin:$PATH
      say() { printf '%s\\n' "$*" >&2; }
      die() { say "sandboxer: $1"; exit "${2:-1}"; }
      . "$top/tools/home.sh"
      . "$top/tools/docker.sh"
      . "$top/tools/kubernetes.sh"
      . "$top/tools/check.sh"
      need_linux() { :; }
      need() { :; }
      use_test_home() { mkdir -p "$home/run" "$home/logs"; }
      get_nsjail() { nsjail=none; }
      get_test_engine() { tests='' not_tested=''; }
      get_test_kubernetes() { :; }
      get_test_program() { :; }
      get_go_modules() { :; }
      report() { :; }
      leave_seconds=5
      shift 2
      run_tests "$@"
      """;

  @TempDir private Path home;

  @ParameterizedTest
  @ValueSource(ints = {1, 39, 40, 41, 5000})
  void aFailedRunIsToldAsOneHoweverMuchFailed(int lines) throws Exception {
    maven("for i in $(seq %d); do echo \"[ERROR]   Broken:$i\"; done; exit 1".formatted(lines));
    Result result = run();
    assertThat(result.output()).contains("sandboxer: the tests failed", "Broken:1");
    assertThat(result.output()).doesNotContain("all tests passed");
    assertThat(result.code()).isEqualTo(1);
  }

  @Test
  void failuresThatMavenWasToldToIgnoreAreFailures() throws Exception {
    maven("echo '[ERROR] Tests run: 7, Failures: 0, Errors: 1, Skipped: 0'");
    Result result = run();
    assertThat(result.output()).contains("the tests failed").doesNotContain("all tests passed");
    assertThat(result.code()).isEqualTo(1);
  }

  /** A daemon, one as a jail starts it, and one that does not care for a friendly word. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "setsid sleep 600",
        "setsid env -i sleep 600",
        "trap '' TERM; setsid env -i sleep 600"
      })
  void whatTheTestsLeaveIsToldAndEnded(String starts) throws Exception {
    maven(starts + " >/dev/null 2>&1 & echo '[INFO] Tests run: 7, Failures: 0, Errors: 0'");
    Result result = run();
    assertThat(result.output()).containsPattern("processes that the tests left: \\d+ sleep 600");
    assertThat(result.code()).isEqualTo(1);
    long left = Long.parseLong(result.output().replaceAll("(?s).*left: (\\d+) .*", "$1"));
    ProcessHandle.of(left).ifPresent(sleep -> sleep.onExit().orTimeout(10, SECONDS).join());
  }

  @Test
  void aContainerThatWasNotThereBeforeIsTold() throws Exception {
    Path engine = Files.createDirectories(home.resolve("bin")).resolve("docker");
    Files.writeString(
        engine, "#!/bin/sh\necho '0a sandboxer-old'; cat %s/new || true\n".formatted(home));
    assertThat(engine.toFile().setExecutable(true)).isTrue();
    maven("echo '[INFO] Tests run: 7, Failures: 0, Errors: 0, Skipped: 0'");
    assertThat(run("docker_host=unix://").code()).isZero();
    maven(
        "echo '0b sandboxer-new' >%s/new; echo '[INFO] Tests run: 7, Failures: 0, Errors: 0'"
            .formatted(home));
    Result result = run("docker_host=unix://");
    assertThat(result.output())
        .contains("containers that the tests left: 0b sandboxer-new")
        .doesNotContain("sandboxer-old");
    assertThat(result.code()).isEqualTo(1);
  }

  @Test
  void aRunWithoutTestsIsNoSuccess() throws Exception {
    maven("echo '[INFO] Tests run: 0, Failures: 0, Errors: 0, Skipped: 0'");
    assertThat(run().output()).contains("no test ran");
  }

  @Test
  void whatPassesWhenItRunsAgainIsNoFailure() throws Exception {
    maven(
        "echo '[ERROR] Tests run: 4, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 1 s <<< FAILURE! -- in a.B'; "
            + "echo '[WARNING] Tests run: 7, Failures: 0, Errors: 0, Skipped: 0, Flakes: 1'");
    Result result = run();
    assertThat(result.output()).contains("all tests passed");
    assertThat(result.code()).isZero();
  }

  @Test
  void quickIsAProfileAndWhatElseIsSaidIsMavens() throws Exception {
    maven("echo \"[INFO] Building Sandboxer $*\"; echo '[INFO] Tests run: 7, Failures: 0'");
    assertThat(run("docker_host=", "--quick", "-Dtest=A").output()).contains("-Pquick -Dtest=A");
    assertThat(run().output()).doesNotContain("quick");
  }

  @Test
  void aGoodRunSaysSo() throws Exception {
    maven("echo '[INFO] Tests run: 7, Failures: 0, Errors: 0, Skipped: 0'");
    Result result = run();
    assertThat(result.output()).contains("all tests passed", "Tests run: 7");
    assertThat(result.code()).as(result.output()).isZero();
  }

  private void maven(String does) throws IOException {
    Path mvn = Files.createDirectories(home.resolve("bin")).resolve("mvn");
    Files.writeString(mvn, "#!/bin/sh\n" + does + "\n");
    assertThat(mvn.toFile().setExecutable(true)).isTrue();
  }

  private record Result(int code, String output) {}

  private Result run() throws IOException, InterruptedException {
    return run("docker_host=");
  }

  private Result run(String engine, String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("bash", "-c", engine + "\n" + DRIVER, "bash"));
    command.addAll(List.of(CHECKOUT.toString(), home.toString()));
    command.addAll(List.of(arguments));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Result(process.waitFor(), output);
  }
}
