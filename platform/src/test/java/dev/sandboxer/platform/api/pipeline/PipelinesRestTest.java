package dev.sandboxer.platform.api.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.platform.testing.InProcess;
import dev.sandboxer.testing.client.Api;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code /v1/pipelines}, and boxes that are asked for by one. */
@QuarkusTest
@TestProfile(InProcess.class)
class PipelinesRestTest {

  private final Api api = InProcess.api();

  private Api.Reply put(String id, String body) {
    return api.send(
        "PUT", "/v1/pipelines/" + id, body.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
  }

  private Api.Reply box(String pipeline, String chat, String more) {
    return api.post(
        "/v1/boxes",
        """
        {"pipeline": "%s", "variables": {"launcher_type": "group", "launcher_id": "%s"}%s}"""
            .formatted(pipeline, chat, more),
        "Prefer",
        "wait=60");
  }

  private static String unique() {
    return "p-" + UUID.randomUUID();
  }

  @Test
  void whatIsStoredIsShownListedReplacedAndForgotten() {
    String id = unique();
    Api.Reply first =
        put(
            id,
            "{'profile': 'local', 'template': '{sender_id}', 'env': {'TOKEN': 'hidden'},"
                + " 'labels': {'team': 'x'}, 'idle_seconds': 60}");
    assertThat(first.status()).as(first.text()).isEqualTo(201);
    assertThat(first.text()).doesNotContain("hidden").contains("TOKEN");
    assertThat(first.json().path("revision").asInt()).isEqualTo(1);
    Api.Reply second = put(id, "{'profile': 'local', 'persistent': true}");
    assertThat(second.status()).isEqualTo(200);
    Api.Reply looked = api.get("/v1/pipelines/" + id);
    assertThat(looked.json().path("revision").asInt()).isEqualTo(2);
    assertThat(looked.field("/template")).isEqualTo("{launcher_type}_{launcher_id}");
    assertThat(looked.json().path("persistent").asBoolean()).isTrue();
    assertThat(looked.json().path("env_names")).isEmpty();

    String other = unique();
    assertThat(put(other, "{'profile': 'local'}").status()).isEqualTo(201);
    List<String> listed = new ArrayList<>();
    String cursor = "";
    do {
      Api.Reply page = api.get("/v1/pipelines?limit=1" + cursor);
      page.json().path("items").forEach(item -> listed.add(item.path("id").asText()));
      JsonNode next = page.json().path("next_cursor");
      cursor = next.isTextual() ? "&cursor=" + next.asText() : "";
    } while (!cursor.isEmpty());
    assertThat(listed).contains(id, other).doesNotHaveDuplicates().isSorted();

    assertThat(api.delete("/v1/pipelines/" + id).status()).isEqualTo(204);
    assertThat(api.delete("/v1/pipelines/" + id).code()).isEqualTo("NOT_FOUND");
    assertThat(api.get("/v1/pipelines/" + id).code()).isEqualTo("NOT_FOUND");
    assertThat(api.delete("/v1/pipelines/" + other).status()).isEqualTo(204);
  }

  @Test
  void aBoxIsAsItsPipelineIsNow() {
    String id = unique();
    String chat = unique();
    assertThat(put(id, "{'profile': 'local', 'labels': {'v': '1'}}").status()).isEqualTo(201);
    Api.Reply first = box(id, chat, "");
    assertThat(first.status()).as(first.text()).isEqualTo(201);
    assertThat(box(id, chat, "").field("/outcome")).isEqualTo("found");

    assertThat(put(id, "{'profile': 'local', 'labels': {'v': '2'}}").status()).isEqualTo(200);
    Api.Reply refused = box(id, chat, "");
    assertThat(refused.code()).isEqualTo("BOX_CONFLICT");
    assertThat(refused.field("/differences/0/field")).isEqualTo("labels.v");
    Api.Reply anew = box(id, chat, ", \"on_change\": \"recreate\"");
    assertThat(anew.field("/outcome")).isEqualTo("changed");
    assertThat(anew.field("/id")).isEqualTo(first.field("/id"));

    assertThat(
            put(id, "{'profile': 'local', 'labels': {'v': '3'}, 'on_change': 'recreate'}").status())
        .isEqualTo(200);
    assertThat(box(id, chat, "").field("/outcome")).isEqualTo("changed");
    assertThat(api.delete("/v1/pipelines/" + id).status()).isEqualTo(204);
    assertThat(api.get("/v1/boxes/" + first.field("/id")).status()).isEqualTo(200);
    assertThat(api.delete("/v1/boxes/" + first.field("/id")).status()).isEqualTo(204);
  }

  @Test
  void thePipelineIsAVariableOfItsBoxes() {
    List<String> boxes = new ArrayList<>();
    for (String id : List.of(unique(), unique())) {
      assertThat(put(id, "{'profile': 'local', 'template': '{pipeline}_{launcher_id}'}").status())
          .isEqualTo(201);
      Api.Reply made = box(id, "one", "");
      assertThat(made.field("/scope")).isEqualTo("{pipeline:%s}_{launcher_id:one}", id);
      boxes.add(made.field("/id"));
      assertThat(api.delete("/v1/pipelines/" + id).status()).isEqualTo(204);
    }
    assertThat(boxes).doesNotHaveDuplicates();
    boxes.forEach(box -> assertThat(api.delete("/v1/boxes/" + box).status()).isEqualTo(204));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{}|field 'profile' is missing",
        "{'profile': 'nowhere'}|there is no profile 'nowhere'",
        "{'profile': 'local', 'template': '{user}'}|names 'user', which is no variable",
        "{'profile': 'local', 'inputs': {'memory': 1}}|memory",
        "{'profile': 'local', 'colour': 1}|unknown fields '[colour]'",
        "{'profile': 'local', 'workspace': '/srv/w'}|field 'workspace' is",
        "{'profile': 'local', 'workspace': {}}|field 'workspace.host_path' is missing",
        "{'profile': 'local', 'workspace': {'host_path': '/srv/../w'}}|field 'workspace.host_path'",
        "{'profile': 'local', 'workspace': {'host_path': '/w', 'volume': 'w'}}|excludes 'host_path'",
        "{'profile': 'local', 'workspace': {'host_path': '/w', 'mode': 'x'}}|ro or rw",
        "{'profile': 'local', 'workspace': {'tmpfs': '1Mi'}}|unknown fields '[tmpfs]' in 'workspace'",
        "{'profile': 'local', 'workspace': {'host_path': '/w', 'mount_path': '/w'}}|unknown fields '[mount_path]'",
        "{'profile': 'local', 'workspace': {'host_path': '/w'}, 'mounts': [{'host_path': '/x', 'mount_path': '/workspace'}]}|and the mount at '/workspace' overlap",
        "{'profile': 'local', 'workspace': {'host_path': '/w', 'mode': 'rw'}, 'skills': [{'name': 'a', 'package_root': '/w/a'}]}|below a folder that is mounted for writing",
        "{'profile': 'local', 'workspace': {'host_path': '/w'}}|caller_mounts",
        "{'profile': 'local', 'skills': [{'name': 'a', 'package_root': '/a', 'content_digest': 'x'}]}|64 of 0-9a-f",
        "{'profile': 'local', 'mcp_servers': [{'name': 'a'}]}|mcp_servers[0].command' is missing",
        "{'profile': 'local', 'mcp_servers': [{'name': 'a/b', 'command': 'x'}]}|mcp_servers[0].name",
        "{'profile': 'local', 'mcp_servers': [{'name': 'a', 'command': 'x'}, {'name': 'a', 'command': 'y'}]}|another MCP server",
        "{'profile': 'local', 'mcp_servers': [{'name': 'a', 'command': 'x', 'sharing': 'both'}]}|shared or owned",
        "{'profile': 'local', 'mcp_servers': [{'name': 'a', 'command': 'x', 'start_seconds': 601}]}|1 to 600",
        "{'profile': 'local', 'mcp_servers': [{'name': 'a', 'command': 'x', 'args': 'y'}]}|mcp_servers[0].args",
        "{'profile': 'local', 'mcp_servers': [{'name': 'a', 'command': 'x', 'package_root': 'srv'}]}|absolute path",
        "{'profile': 'local', 'mcp_servers': [{'name': 'a', 'command': 'x', 'package_root': '/srv/a'}]}|caller_mounts",
        "{'profile': 'local', 'mcp_servers': [{'name': 'a', 'command': 'x', 'port': 1}]}|unknown fields",
        "{'profile': 'local', 'skills': [{'name': 'a/b', 'package_root': '/srv/a'}]}|skills[0].name",
        "{'profile': 'local', 'skills': [{'name': 'a'}]}|skills[0].package_root' is missing",
        "{'profile': 'local', 'skills': [{'name': 'a', 'package_root': '/'}]}|the whole host",
        "{'profile': 'local', 'skills': [{'name': 'a', 'package_root': 'srv'}]}|absolute path",
        "{'profile': 'local', 'skills': [{'name': 'a', 'package_root': '/srv/../etc'}]}|absolute",
        "{'profile': 'local', 'skills': [{'name': 'a', 'package_root': '/srv/a', 'mode': 'x'}]}|ro or rw",
        "{'profile': 'local', 'skills': [{'name': 'a', 'package_root': '/a'}, {'name': 'a', 'package_root': '/b'}]}|another skill",
        "{'profile': 'local', 'skills': [{'name': 'a', 'package_root': '/srv/a'}]}|caller_mounts"
      })
  void aWrongPipelineIsExplainedAndNotStored(String body, String message) {
    String id = unique();
    Api.Reply reply = put(id, body);
    assertThat(reply.status()).as(reply.text()).isEqualTo(400);
    assertThat(reply.field("/detail")).contains(message);
    assertThat(api.get("/v1/pipelines/" + id).status()).isEqualTo(404);
  }

  @Test
  void aBoxOfAPipelineTakesNothingElse() {
    String id = unique();
    assertThat(put(id, "{'profile': 'local'}").status()).isEqualTo(201);
    assertThat(box(id, "one", ", \"profile\": \"local\"").field("/detail"))
        .contains("field 'profile' is set by pipeline '" + id + "'");
    assertThat(box(id, "one", ", \"template\": \"{sender_id}\"").field("/detail"))
        .contains("unknown fields '[template]'");
    assertThat(box("nowhere", "one", "").field("/detail"))
        .isEqualTo("there is no pipeline 'nowhere'");
    assertThat(put("-x", "{'profile': 'local'}").field("/detail")).contains("pipeline's id");
    assertThat(api.delete("/v1/pipelines/" + id).status()).isEqualTo(204);
  }
}
