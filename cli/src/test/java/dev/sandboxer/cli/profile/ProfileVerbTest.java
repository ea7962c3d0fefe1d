package dev.sandboxer.cli.profile;

import static org.assertj.core.api.Assertions.assertThat;

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

class ProfileVerbTest {
  private static final String WRONG =
      """
      {"valid": false, "problems": [
        {"file": "x.yaml", "line": 4, "field": "ttl", "message": "'30' has no unit"},
        {"file": "x.yaml", "line": 1, "field": "", "message": "'id' is \\u001b[31mmissing"}]}
      """;

  private StandIn platform;
  @TempDir private Path folder;

  @BeforeEach
  void start() throws IOException {
    platform = new StandIn();
  }

  @AfterEach
  void stop() throws IOException {
    platform.close();
  }

  @Test
  void lintPrintsALineAMistakeAndFails() throws IOException {
    platform.next("POST /v1/profiles/lint", StandIn.text(200, WRONG));
    Path file = Files.writeString(folder.resolve("x.yaml"), "ttl: 30\n");
    CommandLineRun lint = CommandLineRun.against(platform);
    assertThat(lint.run("profile", "lint", file.toString())).isEqualTo(1);
    assertThat(lint.out())
        .isEqualTo("x.yaml:4: ttl: '30' has no unit\nx.yaml:1: 'id' is \\u001b[31mmissing\n");
    assertThat(platform.calls).contains("POST /v1/profiles/lint");
  }

  @Test
  void lintOfRightFilesSaysSo() throws IOException {
    platform.next(
        "POST /v1/profiles/lint", StandIn.text(200, "{\"valid\": true, \"problems\": []}"));
    Path file = Files.writeString(folder.resolve("x.yaml"), "id: profile.x\n");
    CommandLineRun lint = CommandLineRun.against(platform);
    assertThat(lint.run("profile", "lint", "--json", file.toString())).isZero();
    assertThat(new JsonObject(lint.out()).getBoolean("valid")).isTrue();
  }

  @Test
  void lintShowsWhatCouldNotBeCheckedAndPasses() throws IOException {
    platform.next(
        "POST /v1/profiles/lint",
        StandIn.text(
            200,
            """
            {"valid": true, "problems": [], "notes": [
              {"file": "x.yaml", "line": 4, "field": "options", "message": "not checked"}]}"""));
    Path file = Files.writeString(folder.resolve("x.yaml"), "id: profile.x\n");
    CommandLineRun lint = CommandLineRun.against(platform);
    assertThat(lint.run("profile", "lint", file.toString())).isZero();
    assertThat(lint.out()).isEqualTo("note: x.yaml:4: options: not checked\n1 file is right\n");
  }

  @Test
  void allFilesAreReportedAlsoBesideOneThatIsNotThere() throws IOException {
    platform.next("POST /v1/profiles/lint", StandIn.text(200, WRONG));
    Path file = Files.writeString(folder.resolve("x.yaml"), "ttl: 30\n");
    CommandLineRun lint = CommandLineRun.against(platform);
    String gone = folder.resolve("gone.yaml").toString();
    String lost = folder.resolve("lost.yaml").toString();
    assertThat(lint.run("profile", "lint", gone, file.toString(), lost)).isEqualTo(2);
    assertThat(lint.out()).contains("x.yaml:4: ttl");
    assertThat(lint.err()).contains("gone.yaml: there is no", "lost.yaml: there is no");
  }

  @Test
  void aFileThatIsNotThereIsNamed() {
    CommandLineRun lint = CommandLineRun.against(platform);
    assertThat(lint.run("profile", "lint", folder.resolve("gone.yaml").toString())).isEqualTo(2);
    assertThat(lint.err()).contains("gone.yaml: there is no such file");
  }

  @Test
  void withoutAPlatformItSaysHowToStartOne() throws IOException {
    Path file = Files.writeString(folder.resolve("x.yaml"), "id: profile.x\n");
    CommandLineRun lint =
        CommandLineRun.against(platform).with("SANDBOXER_URL", "http://127.0.0.1:1");
    assertThat(lint.run("profile", "lint", file.toString())).isEqualTo(125);
    assertThat(lint.err()).contains("no platform answers", "./sandboxer up");
  }

  @Test
  void showPrintsTheYaml() {
    platform.next(
        "GET /v1/profiles/local%402",
        StandIn.text(
            200, new JsonObject().put("yaml", "id: profile.local\nversion: 2\n").encode()));
    CommandLineRun show = CommandLineRun.against(platform);
    assertThat(show.run("profile", "show", "local@2")).as(show.err()).isZero();
    assertThat(show.out()).isEqualTo("id: profile.local\nversion: 2\n");
  }

  @Test
  void testSaysWhatHoldsRunsTheCommandAndRemovesTheSandbox() {
    platform.notEnforced("memory", "uid");
    CommandLineRun test = CommandLineRun.against(platform);
    assertThat(
            test.run("profile", "test", "x", "--input", "a=b", "--", "sh", "-c", "echo in; exit 3"))
        .as(test.err())
        .isEqualTo(3);
    assertThat(test.out()).isEqualTo("in\n");
    assertThat(test.err())
        .contains("enforced:     cpus pids workspace tmp open_files", "not enforced: memory uid");
    assertThat(platform.bodies.getFirst().getJsonObject("inputs"))
        .isEqualTo(new JsonObject().put("a", "b"));
    assertThat(platform.count(call -> call.startsWith("DELETE"))).isEqualTo(1);
  }

  @Test
  void createTakesInputs() {
    CommandLineRun create = CommandLineRun.against(platform);
    assertThat(create.run("create", "--input", "who=world", "--input", "n=1")).isZero();
    assertThat(platform.bodies.getFirst().getJsonObject("inputs"))
        .isEqualTo(new JsonObject().put("who", "world").put("n", "1"));
  }
}
