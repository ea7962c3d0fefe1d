package dev.sandboxer.cli.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandboxer.cli.support.CommandLineRun;
import dev.sandboxer.cli.support.StandIn;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PipelineVerbTest {
  private static final String STORED =
      """
      {"id": "support", "revision": 3, "template": "{sender_id}", "profile": "chat",
       "skills": [{"name": "web\\u202e", "package_root": "/srv/web", "mode": "ro"}],
       "mcp_servers": [{"name": "search", "sharing": "shared", "path": "/v1/pipelines/support/mcp/search"}],
       "mcp_problem": "MCP server 'search' cannot be started: no such program",
       "changed_at": "2100-01-01T00:00:00Z"}""";

  @TempDir private Path folder;
  private final List<JsonObject> bodies = new CopyOnWriteArrayList<>();
  private StandIn platform;

  @BeforeEach
  void start() throws IOException {
    platform = new StandIn();
  }

  @AfterEach
  void stop() throws IOException {
    platform.close();
  }

  private String file(String text) throws IOException {
    return Files.writeString(folder.resolve("pipeline.yaml"), text).toString();
  }

  private void stored(int status) {
    platform.next(
        "PUT /v1/pipelines/support",
        request ->
            request
                .body()
                .onSuccess(
                    body -> {
                      bodies.add(body.toJsonObject());
                      request.response().setStatusCode(status).end(STORED);
                    }));
  }

  @Test
  void applySendsTheFileAsItIs() throws IOException {
    String file =
        file(
            """
            id: support
            template: "{sender_id}"
            profile: chat
            env: {TOKEN: "12"}
            mcp_servers:
              - {name: search, command: python3, args: [server.py, "0x1"], start_seconds: 60}
            persistent: true
            """);
    stored(201);
    CommandLineRun run = CommandLineRun.against(platform);
    assertThat(run.run("pipeline", "apply", "-f", file)).as(run.err()).isZero();
    assertThat(bodies)
        .containsExactly(
            new JsonObject(
                """
                {"template": "{sender_id}", "profile": "chat", "env": {"TOKEN": "12"},
                 "mcp_servers": [{"name": "search", "command": "python3",
                   "args": ["server.py", "0x1"], "start_seconds": 60}], "persistent": true}"""));
    assertThat(run.out()).isEqualTo("support stored, revision 3\n");
    assertThat(run.err())
        .matches("MCP server search: http://[^ ]+[^/]/v1/pipelines/support/mcp/search\n");
  }

  @Test
  void theFileMayComeFromStandardInputAndTheReplyAsJson() {
    stored(200);
    CommandLineRun run =
        CommandLineRun.against(platform).stdin("{\"id\": \"support\", \"profile\": \"chat\"}");
    assertThat(run.run("pipeline", "apply", "-f", "-", "--json")).as(run.err()).isZero();
    assertThat(bodies).containsExactly(new JsonObject().put("profile", "chat"));
    assertThat(new JsonObject(run.out())).isEqualTo(new JsonObject(STORED));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "profile: chat|has no id; add for example",
        "id: 7|has no id",
        "id: a/b|is no pipeline's id",
        "- id|has no fields",
        "''|has no fields",
        "'id: [a'|is not YAML",
        "'id: a\nid: b'|is not YAML"
      })
  void aWrongFileIsExplainedAndNotSent(String text, String message) throws IOException {
    CommandLineRun run = CommandLineRun.against(platform);
    assertThat(run.run("pipeline", "apply", "-f", file(text.replace("\\n", "\n")))).isEqualTo(2);
    assertThat(run.err()).contains(message);
  }

  @Test
  void standardInputIsNamedAsSuch() {
    CommandLineRun run = CommandLineRun.against(platform).stdin("profile: chat");
    assertThat(run.run("pipeline", "apply", "-f", "-")).isEqualTo(2);
    assertThat(run.err()).contains("standard input has no id");
  }

  @Test
  void aFileThatIsNotThereIsNamed() {
    CommandLineRun run = CommandLineRun.against(platform);
    assertThat(run.run("pipeline", "apply", "-f", "/nowhere.yaml")).isEqualTo(2);
    assertThat(run.err()).contains("there is no file /nowhere.yaml");
    CommandLineRun nothing = CommandLineRun.against(platform);
    assertThat(nothing.run("pipeline")).isEqualTo(2);
    assertThat(nothing.err()).contains("pipeline apply, ls, show or rm");
  }

  @Test
  void listsShowsAndForgets() {
    platform.next(
        "GET /v1/pipelines",
        StandIn.text(200, "{\"items\": [" + STORED + "], \"next_cursor\": null}"));
    CommandLineRun list = CommandLineRun.against(platform);
    assertThat(list.run("pipeline", "ls")).as(list.err()).isZero();
    assertThat(list.out())
        .startsWith("ID       PROFILE  TEMPLATE     SKILLS  MCP SERVERS")
        .contains("support  chat     {sender_id}  1       1, not all run");

    platform.next("GET /v1/pipelines/support", StandIn.text(200, STORED));
    CommandLineRun show = CommandLineRun.against(platform);
    assertThat(show.run("pipeline", "show", "support")).as(show.err()).isZero();
    assertThat(show.out())
        .contains("id           support, revision 3\n")
        .contains("skill        web\\u202e, ro of /srv/web\n")
        .contains("/v1/pipelines/support/mcp/search\n")
        .endsWith("problem      MCP server 'search' cannot be started: no such program\n");

    platform.next("DELETE /v1/pipelines/support", StandIn.text(204, ""));
    CommandLineRun remove = CommandLineRun.against(platform);
    assertThat(remove.run("pipeline", "rm", "support")).as(remove.err()).isZero();
    assertThat(remove.out()).isEqualTo("support removed\n");
  }
}
