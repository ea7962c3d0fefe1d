package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.testing.client.Api;
import dev.sandboxer.testing.client.Door;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The programs of the integration guides run as they stand and print what the guides say. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class IntegrationsTest {

  private static final Pattern PROGRAM =
      Pattern.compile("```python\n(.*?)```\n```text\n(.*?)```", Pattern.DOTALL);

  private Platform platform;
  private Api api;

  @BeforeAll
  void start() {
    platform = Platform.start(Map.of());
    api = platform.api();
  }

  @AfterAll
  void stop() {
    platform.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"langgraph", "agent-harness"})
  void theGuidesProgramRuns(String guide) throws IOException, InterruptedException {
    Matcher program =
        PROGRAM.matcher(Files.readString(Path.of("../docs/integrations", guide + ".md")));
    assertThat(program.find()).isTrue();
    Process python = python(program.group(1));
    String printed = new String(python.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(python.waitFor()).as(printed).isZero();
    assertThat(printed).isEqualTo(program.group(2));
  }

  private Process python(String program) throws IOException {
    ProcessBuilder builder = new ProcessBuilder("python3", "-c", program).redirectErrorStream(true);
    builder.environment().put("SANDBOXER_URL", api.base().toString());
    builder.environment().put("SANDBOXER_KEY", api.key());
    return builder.start();
  }

  @Test
  void theDocumentDescribesBothDoorsAsTheyAre() {
    JsonNode document = api.get("/v1/openapi?format=json").json();
    Door door = new Door(api);
    String thread = Door.thread();
    covers(document, "/v1/sandbox/sessions", door.ensure(thread));
    covers(document, "/sandbox/acquire", Door.ok(door.acquire(thread, "")));
  }

  @Test
  void aClientGeneratedFromTheDocumentUsesBothDoors(@TempDir Path folder) throws Exception {
    String printed =
        GeneratedClient.of(api, folder).run("BothDoors", api.base().toString(), api.key());
    assertThat(printed)
        .isEqualTo("active\nterminated\n[fs:read, fs:write, shell:exec, process, port]\n");
  }

  /** Each member of a reply is in the schema, and each that must be there is there. */
  private static void covers(JsonNode document, String path, JsonNode reply) {
    JsonNode schema =
        document
            .path("paths")
            .path(path)
            .at("/post/responses/200/content/application~1json/schema");
    assertThat(covers(document, schema, reply, path).path("properties").size())
        .isEqualTo(reply.size());
  }

  private static JsonNode covers(JsonNode document, JsonNode schema, JsonNode reply, String where) {
    JsonNode described = document.at(schema.path("$ref").asText().substring(1));
    assertThat(described.path("required")).as(where + " has what is always there").isNotEmpty();
    described
        .path("required")
        .forEach(name -> assertThat(reply.has(name.asText())).as(where + name).isTrue());
    reply
        .properties()
        .forEach(
            member -> {
              JsonNode type = described.path("properties").path(member.getKey());
              assertThat(type.isObject()).as(where + " " + member.getKey()).isTrue();
              if (member.getValue().isObject()) {
                covers(document, type, member.getValue(), where + " " + member.getKey());
              }
            });
    return described;
  }
}
