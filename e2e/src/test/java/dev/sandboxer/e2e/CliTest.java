package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.testing.client.Api;
import dev.sandboxer.testing.client.Door;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** The command line against a real platform. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CliTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private Platform platform;

  @BeforeAll
  void start() {
    platform = Platform.start(Map.of());
  }

  @AfterAll
  void stop() {
    platform.close();
  }

  @Test
  void filesGoInOutputStreamsAndFilesComeOut(@TempDir Path folder) throws IOException {
    Path in = Files.createDirectories(folder.resolve("in/sub"));
    Files.writeString(in.resolve("text.txt"), "some text\n");
    Path out = folder.resolve("out");
    Cli.Result run =
        run(
            "run",
            "--in",
            folder.resolve("in").toString(),
            "--out",
            out.toString(),
            "--",
            "sh",
            "-c",
            "wc -c < sub/text.txt; echo oops >&2; mkdir made; cp sub/text.txt made/copy; exit 9");
    assertThat(run.code()).as(run.err()).isEqualTo(9);
    assertThat(run.out().strip()).isEqualTo("10");
    assertThat(run.err()).contains("oops");
    assertThat(run.err().strip().lines().toList().getLast())
        .matches("nsjail, ready in .* m?s, ran .* m?s, destroyed");
    assertThat(out.resolve("made/copy")).hasContent("some text\n");
    assertThat(live()).isEmpty();
  }

  @Test
  void exitCodesArePassedOn() {
    assertThat(run("run", "--", "true").code()).isZero();
    assertThat(run("run", "--", "sh", "-c", "kill -TERM $$").code()).isEqualTo(128 + 15);
    assertThat(run("run", "--profile", "no-such", "--", "true").code()).isEqualTo(125);
    assertThat(run("run").code()).isEqualTo(2);
  }

  @Test
  void standardInputAndItsEndAreForwarded() {
    Cli.Result run = run("hello\n".getBytes(StandardCharsets.UTF_8), "run", "--", "cat");
    assertThat(run.code()).as(run.err()).isZero();
    assertThat(run.out()).isEqualTo("hello\n");
  }

  @Test
  void oneJsonDocumentWhereAScriptReads() throws IOException {
    Cli.Result run = run("run", "--json", "--", "sh", "-c", "echo hi; exit 4");
    assertThat(run.code()).isEqualTo(4);
    JsonNode json = Api.JSON.readTree(run.out());
    assertThat(json.path("exit_code").asInt()).isEqualTo(4);
    assertThat(json.path("stdout").asText()).isEqualTo("hi\n");
  }

  @Test
  void aSandboxIsMadeUsedListedAndRemoved() {
    String id = run("create", "--json").json().path("id").asText();
    assertThat(run("exec", id, "--", "echo", "in it").out()).isEqualTo("in it\n");
    assertThat(run("ls").out()).contains(id);
    assertThat(run("rm", id).code()).isZero();
    assertThat(run("ls").out()).doesNotContain(id);
    assertThat(run("ls", "--all").out()).as("history is kept").contains(id);
    assertThat(run("exec", id, "--", "true").code()).isEqualTo(125);
  }

  @Test
  void aSessionIsBoundLookedUpKeptAndReleased() {
    assertThat(run("session", "get", "thr_cli").code()).as("none yet").isEqualTo(125);
    JsonNode made = run("session", "ensure", "thr_cli", "--profile", "local").json();
    String id = made.path("session_id").asText();
    assertThat(run("session", "get", "thr_cli").json().path("session_id").asText()).isEqualTo(id);
    JsonNode config =
        run("session", "get", "thr_cli", "--bootstrap").json().at("/config/configurable/sandbox");
    assertThat(config.path("session_id").asText()).isEqualTo(id);
    Door door = new Door(platform.api());
    assertThat(door.inside(config).exec("echo", "in").field("/stdout")).isEqualTo("in\n");

    Cli.Result beat = run("session", "heartbeat", id);
    assertThat(java.time.Instant.parse(beat.out().strip())).isAfter(java.time.Instant.now());
    assertThat(run("session", "heartbeat", "--json", id).json().at("/binding/id").asText())
        .isEqualTo(id);
    assertThat(run("session", "release", id).out()).isEqualTo(id + " released\n");
    assertThat(run("session", "heartbeat", id).code()).isEqualTo(125);
    assertThat(run("session", "release", "../x").code()).isEqualTo(2);
    assertThat(run("session").code()).isEqualTo(2);
    await().atMost(PATIENCE).until(() -> live().isEmpty());
  }

  @Test
  void aBoxIsMadeUsedRecreatedListedAndForgotten() {
    Cli.Result made = ensure();
    String box = made.out().strip();
    assertThat(made.err()).startsWith("new: {launcher_type:group}_{launcher_id:7}, sandbox sb_");
    assertThat(ensure().err()).startsWith("found: ");
    byte[] input = "hello\n".getBytes(StandardCharsets.UTF_8);
    Cli.Result exec =
        run(input, "box", "exec", box, "-i", "--", "sh", "-c", "cat; echo oops >&2; exit 9");
    assertThat(exec.out()).isEqualTo("hello\n");
    assertThat(exec.err()).isEqualTo("oops\n");
    assertThat(exec.code()).isEqualTo(9);
    assertThat(run("box", "exec", box, "--timeout", "1s", "--", "sleep", "60").code())
        .isEqualTo(124);
    assertThat(run("box", "exec", box, "--", "printf", "\\377").bytes())
        .isEqualTo(new byte[] {(byte) 0xff});
    Cli.Result clipped = run("box", "exec", box, "--", "head", "-c", "2m", "/dev/zero");
    assertThat(clipped.bytes()).hasSize(1 << 20);
    assertThat(clipped.err()).startsWith("stdout is clipped");

    Cli.Result conflict = ensure("--idle=10m");
    assertThat(conflict.code()).isEqualTo(125);
    assertThat(conflict.err()).contains("idle_seconds  300  600\n", "--recreate");
    String before = run("box", "show", box, "--json").json().path("sandbox_id").asText();
    assertThat(ensure("--idle=10m", "--recreate").err())
        .contains("changed: ", "lost with " + before);
    run("rm", run("box", "show", box, "--json").json().path("sandbox_id").asText());
    assertThat(run("box", "exec", box, "--", "true").err()).contains("it was made again: sb_");

    assertThat(run("box", "ls").out()).contains(box, "10 min");
    assertThat(run("box", "rm", box).out()).isEqualTo(box + " removed\n");
    assertThat(run("box", "ls", "-q").out()).isEmpty();
    assertThat(run("box", "exec", box, "--", "true").code()).isEqualTo(125);
    await().atMost(PATIENCE).until(() -> live().isEmpty());
  }

  private Cli.Result ensure(String... options) {
    List<String> words =
        new ArrayList<>(
            List.of("box", "ensure", "--var=launcher_type=group", "--var=launcher_id=7"));
    words.addAll(List.of(options));
    return run(words.toArray(String[]::new));
  }

  @Test
  void theReferencesAreWhatThePlatformSays() throws IOException {
    check("docs/reference/api.md", "--api");
    check("docs/reference/events.md", "--events");
  }

  private void check(String page, String option) throws IOException {
    Cli.Result made = run("reference", option);
    assertThat(made.code()).as(made.err()).isZero();
    assertThat(Files.readString(Guide.CHECKOUT.resolve(page)))
        .as(
            "%1$s is not what the program says now. Generate it again on a running platform of this"
                + " build (./sandboxer up --detach), and commit it:%n%n  ./sandboxer reference %2$s"
                + " > %1$s%n",
            page, option)
        .isEqualTo(made.out());
  }

  @Test
  void controlCEndsTheCommandInsideAndTheSandbox() throws InterruptedException {
    Process process =
        begin("run", "--", "sh", "-c", "trap 'echo caught; exit 1' INT; sleep 300 & wait");
    await().atMost(PATIENCE).until(() -> !live().isEmpty());
    String id = live().getFirst();
    await()
        .atMost(PATIENCE)
        .until(() -> Host.processesOf(id).anyMatch(p -> commandLine(p).contains("300")));
    interrupt(process);
    assertThat(process.waitFor()).isEqualTo(130);
    assertThat(Host.processesOf(id)).isEmpty();
    assertThat(platform.api().get("/v1/sandboxes/" + id).field("/state")).isEqualTo("destroyed");
  }

  private static String commandLine(ProcessHandle process) {
    try {
      return Files.readString(
          Path.of("/proc", Long.toString(process.pid()), "cmdline"), StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      return "";
    }
  }

  private static void interrupt(Process process) {
    try {
      assertThat(new ProcessBuilder("kill", "-INT", Long.toString(process.pid())).start().waitFor())
          .isZero();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private List<String> live() {
    List<String> ids = new ArrayList<>();
    platform
        .api()
        .get("/v1/sandboxes?live=true")
        .json()
        .path("items")
        .forEach(item -> ids.add(item.path("id").asText()));
    return ids;
  }

  private Cli.Result run(String... arguments) {
    return new Cli(platform).run(arguments);
  }

  private Cli.Result run(byte[] input, String... arguments) {
    return new Cli(platform).run(input, arguments);
  }

  private Process begin(String... arguments) {
    return new Cli(platform).begin(platform.home().resolve("logs/cli.log"), arguments);
  }
}
