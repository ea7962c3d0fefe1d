package dev.sandboxer.cli.script;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sandboxer.cli.script.Script.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The platform's start-up cache: made in the background, used from the next start on. */
class StartCacheTest {
  private static final String CACHE = "platform-[0-9-]+\\.aot";

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
  void itServesTheNextStart() throws Exception {
    assertThat(up().output()).containsPattern("\n  start-up cache recorded  +[0-9.]+ s\n");
    assertThat(javaOptions()).anyMatch(option -> option.startsWith("-XX:AOTConfiguration="));
    awaitCache();
    assertThat(script.run("down").output()).doesNotContain("start-up cache");
    assertThat(up().output()).doesNotContain("start-up cache");
    assertThat(javaOptions()).anyMatch(option -> option.startsWith("-XX:AOTCache="));
  }

  @Test
  void downDoesNotWaitForItAndTheNextUpMakesIt() throws Exception {
    Path started = top.resolve("started");
    script.program(
        "nice",
        "for option; do case $option in -XX:AOTCache=*) echo half > ${option#*=} ;; esac; done",
        "echo $$ > " + started + ".new; mv " + started + ".new " + started,
        "exec sleep 600");
    up();
    await().until(() -> Files.exists(started));
    Path training = Path.of("/proc/" + Files.readString(started).strip() + "/exe");
    assertThat(Files.exists(training)).as("a program that runs").isTrue();
    Result down = script.run("down");
    assertThat(down.code()).as(down.output()).isZero();
    assertThat(Files.exists(training)).as("a program that runs").isFalse();
    assertThat(caches()).singleElement().asString().matches(CACHE + "\\.recorded");

    script.program("nice", "shift 2; exec \"$@\"");
    assertThat(up().output()).doesNotContain("start-up cache");
    assertThat(javaOptions()).noneMatch(option -> option.startsWith("-XX:AOT"));
    awaitCache();
  }

  @Test
  void whatCannotBeUsedIsRecordedAgain() throws Exception {
    script.program("nice", "exit 1");
    up();
    await().untilAsserted(() -> assertThat(caches()).isEmpty());
    script.run("down");
    script.program("nice", "shift 2; exec \"$@\"");
    assertThat(up().output()).contains("start-up cache recorded");
    awaitCache();
  }

  @Test
  void aJdkThatCannotBeAskedRecordsWhenItEnds() throws Exception {
    Path real = Path.of(System.getProperty("java.home"));
    script.jdk("25.0.1", "javac").with("SANDBOXER_JVM_DIR", top.resolve("jvm").toString());
    Path bin = top.resolve("jvm/jdk-25.0.1/bin");
    Files.createSymbolicLink(bin.resolve("java"), real.resolve("bin/java"));
    Path jcmd = Files.writeString(bin.resolve("jcmd"), "#!/bin/sh\nexit 1\n");
    assertThat(jcmd.toFile().setExecutable(true)).isTrue();

    assertThat(up().output()).doesNotContain("start-up cache");
    assertThat(script.run("down").output()).contains("recording the start-up cache");
    assertThat(caches()).singleElement().asString().matches(CACHE + "\\.recorded");
    up();
    awaitCache();
  }

  private Result up() throws Exception {
    Result up = script.run("up", "-d");
    assertThat(up.code()).as(up.output()).isZero();
    return up;
  }

  private void awaitCache() {
    await()
        .atMost(Duration.ofMinutes(1))
        .untilAsserted(() -> assertThat(caches()).singleElement().asString().matches(CACHE));
  }

  private List<String> caches() throws IOException {
    try (Stream<Path> caches = Files.list(script.home().resolve("cache"))) {
      return caches.map(path -> path.getFileName().toString()).toList();
    }
  }

  private List<String> javaOptions() throws IOException {
    String process = Files.readString(script.home().resolve("run/platform.pid"));
    return List.of(
        ProcessHandle.of(Long.parseLong(process.split(" ", -1)[0]))
            .orElseThrow()
            .info()
            .arguments()
            .orElseThrow());
  }
}
