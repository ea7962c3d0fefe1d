package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.testing.client.Api;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** MCP servers of a pipeline, used by the official clients of Python and TypeScript. */
@OnEveryBackend
class McpTest {

  private static final String INITIALIZE =
      """
      {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-06-18",
        "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}}""";

  @Parameter private Backend backend;

  private final HttpClient http = HttpClient.newHttpClient();

  /** Below a folder that only root can change, as the rule for mounts wants. */
  private Path host = Path.of("");

  private final Map<String, String> settings = new HashMap<>();
  private McpClients clients;
  private Platform platform;
  private String pipeline = "";

  @BeforeAll
  void start() throws IOException, InterruptedException {
    clients = McpClients.install();
    host = Files.createTempDirectory(Path.of("/var/lib"), "sbxmcp");
    Files.setPosixFilePermissions(host, PosixFilePermissions.fromString("rwxr-xr-x"));
    McpClients.buildServer(Files.createDirectories(host.resolve("probe")).resolve("probe"));
    settings.putAll(Platform.onOnePort());
    settings.put("SANDBOXER_MOUNT_ROOTS", host.toString());
    platform = Platform.start(settings);
  }

  /** Once for each backend. */
  @BeforeEach
  void store() throws IOException {
    if (pipeline.equals("mcp-" + backend)) {
      return;
    }
    pipeline = "mcp-" + backend;
    platform.profile(
        pipeline,
        """
        id: profile.%s
        version: 1
        extends: %s@2
        caller_mounts: {roots: [%s], modes: [ro, tmpfs], max: 8}
        """
            .formatted(pipeline, backend.profile(), host));
    assertThat(put(SERVERS).status()).isEqualTo(201);
  }

  @AfterParameterizedClassInvocation
  void forget() {
    assertThat(api().delete("/v1/pipelines/" + pipeline).status()).isEqualTo(204);
    assertThat(api().get("/v1/boxes").json().path("items")).isEmpty();
    api().destroyAll();
  }

  @AfterAll
  void stop() throws IOException {
    platform.close();
    try (Stream<Path> paths = Files.walk(host)) {
      for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }

  private static final String SERVERS =
      """
      {"profile": "%1$s", "env": {"PROBE": "all"}, "mcp_servers": [
        {"name": "probe", "command": "./probe", "package_root": "%2$s/probe"},
        {"name": "own", "command": "/workspace/.mcp/probe/probe", "sharing": "owned", "env": {"PROBE": "mine"}},
        {"name": "broken", "command": "no-such-program"}]}""";

  private Api.Reply put(String body) {
    return api()
        .send(
            "PUT",
            "/v1/pipelines/" + pipeline,
            body.formatted(pipeline, host).getBytes(StandardCharsets.UTF_8));
  }

  private Api api() {
    return platform.api();
  }

  @Test
  void itsBoxIsMadeBeforeAnybodyAsks() {
    awaitBox(box -> box.path("state").asText().equals("active"));
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> !api().get("/v1/pipelines/" + pipeline).json().path("mcp_problem").isNull());
    assertThat(api().get("/v1/pipelines/" + pipeline).field("/mcp_problem"))
        .startsWith("MCP server 'broken' cannot be started: program \"no-such-program\" was not");
    assertThat(api().get("/v1/pipelines/" + pipeline).text()).doesNotContain("mine");
  }

  @Test
  void thePythonClientUsesASharedAndAnOwnedServer() throws Exception {
    for (String mode : new String[] {"auto", "legacy"}) {
      for (String server : new String[] {"probe", "own"}) {
        assertThat(clients.python(url(server), api().key(), mode, server))
            .as(mode + " " + server)
            .isEqualTo(
                """
                tools ask count echo end pause wait where
                echo grüße 🚀
                count 1/3 2/3 3/3
                at once 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19
                wait MCPError
                ask %s
                """
                    .formatted(answerOf(server)));
      }
    }
  }

  /** A shared server has no client that it could ask. */
  private static String answerOf(String server) {
    return server.equals("own")
        ? "False from the model"
        : "True calling \"sampling/createMessage\": a shared MCP server cannot ask one of its clients; declare it as owned";
  }

  @Test
  void theTypescriptClientUsesASharedAndAnOwnedServerOverABadNetwork() throws Exception {
    for (String server : new String[] {"probe", "own"}) {
      assertThat(clients.typescript(url(server), api().key(), server))
          .as(server)
          .isEqualTo(
              """
              session true probe
              count 1/3 2/3 3/3
              cut off resumed
              wait McpError: MCP error -32001: enough
              ask %s
              ended 400
              """
                  .formatted(answerOf(server).replace("True", "true").replace("False", "false")));
      await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> box().out("cat /workspace/cancelled; true").equals(server));
    }
  }

  @Test
  void eachServerHasItsFolderAndEnvironment() throws Exception {
    assertThat(call("probe", open("probe"), "where")).matches("[0-9]+ /workspace/.mcp/probe all");
    assertThat(call("own", open("own"), "where")).matches("[0-9]+ /workspace/.mcp/own mine");
  }

  @Test
  void aSharedServerThatEndsIsStartedAgainAndItsSessionsGoOn() throws Exception {
    String session = open("probe");
    String before = call("probe", session, "where");
    assertThat(call("probe", session, "end"))
        .contains("exited with code 5")
        .contains("asked to end");
    assertThat(call("probe", session, "where")).isNotEqualTo(before).endsWith("probe all");
  }

  @Test
  void aKilledPlatformLeavesServersAndSessionsAlone() throws Exception {
    String shared = open("probe");
    String owned = open("own");
    String before = call("probe", shared, "where") + call("own", owned, "where");
    platform.kill();
    platform.restart(settings);
    assertThat(call("probe", shared, "where") + call("own", owned, "where")).isEqualTo(before);
  }

  @ParameterizedTest
  @ValueSource(strings = {"mcp.claimed", "mcp.box_ready", "mcp.defined"})
  void aPlatformThatIsKilledWhileItStartsThemGoesOn(String step) throws Exception {
    platform.arm(step);
    assertThat(put(SERVERS.replace("\"all\"", "\"" + step + "\"")).status()).isEqualTo(200);
    platform.awaitFailpoint(step);
    platform.kill();
    platform.restart(settings);
    await()
        .atMost(Duration.ofMinutes(2))
        .until(() -> call("probe", open("probe"), "where").endsWith(" " + step));
    assertThat(boxes().count()).isEqualTo(1);
    assertThat(put(SERVERS).status()).isEqualTo(200);
    await()
        .atMost(Duration.ofMinutes(2))
        .until(() -> call("probe", open("probe"), "where").endsWith(" all"));
  }

  @Test
  void aBoxThatIsGoneIsMadeAgainWithoutARequest() throws Exception {
    JsonNode before = awaitBox(box -> box.path("state").asText().equals("active"));
    assertThat(api().delete("/v1/sandboxes/" + before.path("sandbox_id").asText()).status())
        .isEqualTo(202);
    awaitBox(
        box ->
            box.path("state").asText().equals("active")
                && !box.path("sandbox_id").equals(before.path("sandbox_id")));
    assertThat(call("probe", open("probe"), "where")).endsWith("probe all");
  }

  @Test
  void pipelinesMayHaveServersOfOneName() throws Exception {
    String one =
        "{\"profile\": \"%1$s\", \"mcp_servers\": [{\"name\": \"own\", \"command\": \"./probe\"";
    String other = one + ", \"package_root\": \"%2$s/probe\", \"env\": {\"PROBE\": \"other\"}}]}";
    String path = "/v1/pipelines/second-" + backend;
    assertThat(
            api()
                .send("PUT", path, other.formatted(pipeline, host).getBytes(StandardCharsets.UTF_8))
                .status())
        .isEqualTo(201);
    String mine = pipeline;
    try {
      pipeline = "second-" + backend;
      assertThat(call("own", open("own"), "where")).endsWith("own other");
      pipeline = mine;
      assertThat(call("own", open("own"), "where")).endsWith("own mine");
    } finally {
      pipeline = mine;
      assertThat(api().delete(path).status()).isEqualTo(204);
    }
  }

  @Test
  void wrongRequestsAreExplained() throws Exception {
    assertThat(post(url("probe"), "sbxk_wrong", null, INITIALIZE).statusCode()).isEqualTo(401);
    assertThat(post(url("nothing"), api().key(), null, INITIALIZE).body())
        .contains("has no MCP server 'nothing'");
    assertThat(post(url("probe").replace(pipeline, "other"), api().key(), null, INITIALIZE).body())
        .contains("there is no pipeline 'other'");
    HttpResponse<String> broken = post(url("broken"), api().key(), null, INITIALIZE);
    assertThat(broken.statusCode()).isEqualTo(409);
    assertThat(broken.body()).contains("MCP server 'broken' cannot be started");
    assertThat(post(url("probe"), api().key(), "mcp_gone", INITIALIZE).statusCode()).isEqualTo(404);
    assertThat(post(url("probe"), api().key(), null, "{}").statusCode()).isEqualTo(400);
    assertThat(put(SERVERS.replace("%2$s/probe", "%2$s/nowhere")).status()).isEqualTo(400);
  }

  private String url(String server) {
    return api().base() + "/v1/pipelines/" + pipeline + "/mcp/" + server;
  }

  private JsonNode awaitBox(Predicate<JsonNode> wanted) {
    return await()
        .atMost(Duration.ofMinutes(2))
        .until(() -> boxes().filter(wanted).findFirst().orElse(null), box -> box != null);
  }

  private Stream<JsonNode> boxes() {
    return api()
        .get("/v1/boxes")
        .json()
        .path("items")
        .valueStream()
        .filter(box -> box.path("session_id").asText().equals("mcp-" + pipeline));
  }

  private Box box() {
    JsonNode box = boxes().findFirst().orElseThrow();
    return new Box(api(), box.path("id").asText(), box.path("sandbox_id").asText(), "");
  }

  /** Begins a session; its id. */
  private String open(String server) throws IOException, InterruptedException {
    HttpResponse<String> reply = post(url(server), api().key(), null, INITIALIZE);
    assertThat(reply.statusCode()).as(reply.body()).isEqualTo(200);
    String session = reply.headers().firstValue("Mcp-Session-Id").orElseThrow();
    String initialized = "{\"jsonrpc\": \"2.0\", \"method\": \"notifications/initialized\"}";
    assertThat(post(url(server), api().key(), session, initialized).statusCode()).isEqualTo(202);
    return session;
  }

  /** What a tool says, or why it cannot. */
  private String call(String server, String session, String tool)
      throws IOException, InterruptedException {
    HttpResponse<String> reply =
        post(
            url(server),
            api().key(),
            session,
            """
            {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "%s", "arguments": {}}}"""
                .formatted(tool));
    assertThat(reply.statusCode()).as(reply.body()).isEqualTo(200);
    String data =
        reply.body().lines().filter(line -> line.startsWith("data: {")).findFirst().orElseThrow();
    JsonNode message = Api.JSON.readTree(data.substring("data: ".length()));
    return message.has("error")
        ? message.at("/error/message").asText()
        : message.at("/result/content/0/text").asText();
  }

  private HttpResponse<String> post(String url, String key, @Nullable String session, String body)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(url))
            .timeout(Duration.ofMinutes(2))
            .header("Authorization", "Bearer " + key)
            .header("Content-Type", "application/json")
            .header("Accept", "application/json, text/event-stream")
            .POST(HttpRequest.BodyPublishers.ofString(body));
    if (session != null) {
      request.header("Mcp-Session-Id", session);
    }
    return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }
}
