package dev.sandboxer.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.testing.E2bServer;
import dev.sandboxer.testing.client.Api;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a profile says holds on each backend: only its {@code extension} differs. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@EnabledIfEnvironmentVariable(named = "SANDBOXER_DOCKER_HOST", matches = ".+")
class OneProfileTest {

  private static final Duration PATIENCE = Duration.ofSeconds(100);
  private static final String IMAGE = "localhost/python";

  private static final String PROFILE =
      """
      id: profile.NAME
      version: 1
      extension: EXTENSION
      image: localhost/python
      resources: {cpus: 1, memory: 256Mi, pids: 64, workspace: 64Mi, tmp: 32Mi, open_files: 256}
      best_effort: [uid, cpus, memory, pids, workspace, tmp, open_files]
      env: {GREETING: hello}
      network: {mode: allow, allow: [{host: web.example, ports: [PORT]}]}
      ttl: 10m
      """;

  private static final String FETCH =
      """
      import socket, sys, urllib.request, urllib.error
      for host in "web.example", "other.example":
          try:
              reply = urllib.request.urlopen("http://%s:%s/" % (host, sys.argv[1]), timeout=30)
              print(reply.status, reply.read().decode())
          except urllib.error.HTTPError as e:
              print(e.code)
      try:
          socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=5)
          print("reached")
      except OSError:
          print("refused")
      """;

  private Path folder = Path.of("");
  private Website web;
  private E2bServer cloud;
  private Platform platform;
  private Api api;

  @BeforeAll
  void start() throws IOException {
    folder = Files.createTempDirectory("sbxo");
    web = new Website();
    cloud = new E2bServer(folder.resolve("cloud"));
    Map<String, String> settings = new HashMap<>(web.settings());
    settings.put("SANDBOXER_CA_FILE", cloud.authority().toString());
    platform = Platform.start(settings);
    api = platform.api();
    imagesOfEach();
  }

  /** The host's for nsjail, a tag for Docker, and a template for the cloud. */
  private void imagesOfEach() throws IOException {
    Path images = Files.createDirectories(platform.home().resolve("state/nsjail/local-images"));
    RootFiles.write(images.resolve("python.tar"));
    String _ =
        Backends.docker()
            .orElseThrow()
            .send("POST", "/images/python:3.12-slim/tag?repo=" + IMAGE + "&tag=latest");
    Files.writeString(folder.resolve("key"), cloud.key());
    Api.Reply added =
        api.post(
            "/v1/hosts",
            """
            {"name": "rented", "extension": "ext.e2b", "address": "%s",
             "settings": {"sandbox_url": "%s", "ca_file": "%s", "templates": {"%s": "base"}},
             "credentials": {"api_key": "file:%s"}}
            """
                .formatted(
                    cloud.url(), cloud.url(), cloud.authority(), IMAGE, folder.resolve("key")));
    assertThat(added.status()).as(added.text()).isEqualTo(201);
    await()
        .atMost(PATIENCE)
        .until(() -> api.get("/v1/hosts/rented").field("/state").equals("ready"));
  }

  @AfterAll
  void stop() {
    api.destroyAll();
    platform.close();
    cloud.close();
    web.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"ext.nsjail", "ext.docker", "ext.e2b"})
  void meansTheSame(String extension) {
    String name = "one-" + extension.substring("ext.".length());
    String port = String.valueOf(web.port());
    platform.profile(
        name, PROFILE.replace("NAME", name).replace("EXTENSION", extension).replace("PORT", port));
    JsonNode sandbox = api.ready(name);
    String id = sandbox.path("id").asText();
    assertThat(sandbox.path("extension_id").asText()).isEqualTo(extension);
    Api.Dataplane inside = api.access(id);
    commands(inside);
    files(inside);
    processesAndPorts(inside);
    assertThat(inside.exec("python3", "-c", FETCH, port).field("/stdout"))
        .isEqualTo("200 hello from /\n403\nrefused\n");
    Api.Reply gone = api.delete("/v1/sandboxes/" + id, "Prefer", "wait=60");
    assertThat(gone.field("/state")).as(gone.text()).isEqualTo("destroyed");
    assertThat(inside.exec("true").status()).isEqualTo(401);
    assertThat(life(id))
        .containsExactly("requested", "provisioning", "ready", "active", "destroying", "destroyed");
  }

  private static void commands(Api.Dataplane inside) {
    Api.Reply shown =
        inside.exec("sh", "-c", "echo \"$GREETING\" \"$1\"; pwd; exit 3", "-", "a  b");
    assertThat(shown.field("/stdout")).isEqualTo("hello a  b\n/workspace\n");
    assertThat(shown.field("/exit_code")).isEqualTo("3");
    Api.Reply fed =
        inside.post(
            "/exec",
            "{\"command\": [\"cat\"], \"stdin\": \"from outside\", \"env\": {\"GREETING\": \"x\"}}");
    assertThat(fed.field("/stdout")).isEqualTo("from outside");
    Api.Reply late =
        inside.post(
            "/exec",
            "{\"command\": [\"python3\", \"-c\", \"import time; time.sleep(60)\"], \"timeout_ms\": 500}");
    assertThat(late.field("/timed_out")).as(late.text()).isEqualTo("true");
    assertThat(late.field("/signal")).isEqualTo("SIGKILL");
    Api.Reply none = inside.exec("no-such-program");
    assertThat(none.status()).isEqualTo(400);
    assertThat(none.code()).isEqualTo("VALIDATION");
    assertThat(inside.exec("sh", "-c", "test \"$(id -u)\" != 0").field("/exit_code"))
        .isEqualTo("0");
  }

  private static void files(Api.Dataplane inside) {
    byte[] text = "of mine".getBytes(UTF_8);
    assertThat(inside.upload("note.txt", text).status()).isEqualTo(201);
    assertThat(inside.upload("note.txt", text).status()).isEqualTo(200);
    assertThat(inside.download("note.txt").text()).isEqualTo("of mine");
    assertThat(inside.exec("cat", "/workspace/note.txt").field("/stdout")).isEqualTo("of mine");
    JsonNode listed = inside.get("/files/list?path=.").json().path("items");
    assertThat(listed).hasSize(1);
    assertThat(listed.at("/0/size_bytes").asInt()).isEqualTo(text.length);
    assertThat(inside.download("none.txt").status()).isEqualTo(404);
  }

  private static void processesAndPorts(Api.Dataplane inside) {
    Api.Reply started =
        inside.post(
            "/processes",
            """
            {"process_id": "web",
             "command": ["python3", "-m", "http.server", "8080", "--bind", "127.0.0.1"]}
            """);
    assertThat(started.status()).as(started.text()).isEqualTo(201);
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> assertThat(inside.get("/ports/8080/note.txt").text()).isEqualTo("of mine"));
    assertThat(inside.get("/ports").text()).contains("\"port\":8080");
    assertThat(inside.get("/ports/8081/").code()).isEqualTo("PORT_UNREACHABLE");
    Api.Reply ended = inside.delete("/processes/web");
    assertThat(ended.field("/state")).as(ended.text()).isEqualTo("finished");
    assertThat(inside.get("/ports/8080/").code()).isEqualTo("PORT_UNREACHABLE");
  }

  @Test
  void aRuntimeIsLookedForOnEachBackend() {
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                !api.get("/v1/hosts/rented").json().at("/probe/ext.e2b/runtimes").isMissingNode());
    assertThat(rejected("one-runc", "runc"))
        .containsOnlyKeys("ext.nsjail", "ext.e2b")
        .allSatisfy((_, reasons) -> assertThat(reasons).contains("takes no runtime"));
    assertThat(rejected("one-other", "no-such-runtime"))
        .containsOnlyKeys("ext.nsjail", "ext.docker", "ext.e2b")
        .hasEntrySatisfying(
            "ext.docker",
            reasons ->
                assertThat(reasons)
                    .contains("it is no-such-runtime and ext.docker there has", "runc"));
  }

  /** The reasons that name the runtime, by the extension. */
  private Map<String, String> rejected(String name, String runtime) {
    platform.profile(
        name,
        """
        id: profile.%s
        version: 1
        image: localhost/python
        isolation: {level: container, runtime: %s}
        routing: {candidates: [ext.nsjail, ext.docker, ext.e2b]}
        """
            .formatted(name, runtime));
    Api.Reply reply = api.post("/v1/routes/explain", Api.create(name));
    assertThat(reply.status()).as(reply.text()).isEqualTo(200);
    Map<String, String> reasons = new TreeMap<>();
    for (JsonNode place : reply.json().path("rejected")) {
      for (JsonNode reason : place.path("reasons")) {
        if (reason.path("profile_key").asText().equals("isolation.runtime")) {
          reasons.put(place.path("extension").asText(), reason.path("message").asText());
        }
      }
    }
    return reasons;
  }

  /** Without what a backend alone has to tell, such as an image that was fetched. */
  private List<String> life(String id) {
    List<String> types = new ArrayList<>();
    StreamSupport.stream(
            api.get("/v1/sandboxes/" + id + "/events").json().path("items").spliterator(), false)
        .map(event -> event.path("type").asText())
        .filter(type -> type.startsWith("sandbox.") && !type.equals("sandbox.image_pull"))
        .forEach(type -> types.add(type.substring("sandbox.".length())));
    return types;
  }
}
