package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.testing.SshServer;
import dev.sandboxer.testing.client.Api;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/** An Engine behind a real sshd, as a host of the Docker backend. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@EnabledIfEnvironmentVariable(named = "SANDBOXER_DOCKER_HOST", matches = ".+")
class RemoteEngineTest {

  private static final Duration PATIENCE = Duration.ofSeconds(100);
  private static final Duration LOSS = Duration.ofMinutes(4);
  private static final int FAR = 4;

  /** Less than a question to each of those that are far may take. */
  private static final Duration SOON = Duration.ofSeconds(20);

  private HostTree folders;
  private SshServer server;
  private Platform platform;
  private Engine engine;

  @BeforeAll
  void start() throws IOException {
    engine = Backends.docker().orElseThrow();
    folders = new HostTree();
    server = new SshServer(Files.createTempDirectory(Path.of("/tmp"), "sbxd"));
    platform = Platform.start(Map.of("SANDBOXER_MOUNT_ROOTS", folders.root() + ":rw"));
    platform.profile(
        "far",
        """
        id: profile.far
        version: 1
        image: sandboxer-test/busybox:latest
        isolation: {level: container}
        resources: {cpus: 1, memory: 256Mi, pids: 64}
        caller_mounts: {roots: [%s], modes: [rw], unlimited: true, max: 1}
        routing: {candidates: [{extension: ext.docker, host: far}]}
        """
            .formatted(folders.root()));
  }

  @AfterAll
  void stop() {
    platform.api().destroyAll();
    platform.close();
    server.close();
    folders.close();
  }

  private Api.Reply add(String more) throws IOException {
    return platform
        .api()
        .post(
            "/v1/hosts",
            """
            {"name": "far", "extension": "ext.docker", "address": "ssh://%s@127.0.0.1:%d",
             "credentials": {"key": "file:%s"},
             "settings": {"host_key": ["%s"], "docker_socket": "%s"}%s}
            """
                .formatted(
                    SshServer.user(),
                    server.port(),
                    server.key(),
                    server.fingerprint(),
                    engine.socket(),
                    more));
  }

  private JsonNode host() {
    return platform.api().get("/v1/hosts/far").json();
  }

  @Test
  void aSandboxIsMadeThereSurvivesAKillAndIsGone() throws IOException {
    Api.Reply bound = add(", \"node\": \"local\"");
    assertThat(bound.status()).as(bound.text()).isEqualTo(400);
    assertThat(bound.text()).contains("are reached by all nodes");
    Api.Reply added = add("");
    assertThat(added.status()).as(added.text()).isEqualTo(201);
    assertThat(added.json().path("node").isTextual()).as(added.text()).isFalse();
    await().atMost(PATIENCE).until(() -> host().at("/probe/ext.docker").isObject());
    assertThat(host().path("state").asText()).as(host().toString()).isEqualTo("ready");

    folders.write("data/in", "of the platform's machine");
    Api.Reply made =
        platform
            .api()
            .post(
                "/v1/sandboxes",
                """
                {"profile": "far", "consumer": {"actor": "atm", "project": "e2e"},
                 "mounts": [{"host_path": "%s/data", "mount_path": "/workspace/data", "mode": "rw"}]}
                """
                    .formatted(folders.root()),
                "Prefer",
                "wait=60");
    assertThat(made.status()).as(made.text()).isEqualTo(201);
    assertThat(made.field("/mounts/0/delivery")).isEqualTo("copy");
    String id = made.field("/id");
    assertThat(engine.containers(id.substring("sb_".length()))).hasSize(1);
    assertThat(out(id, "cat data/in; echo changed >data/out"))
        .isEqualTo("of the platform's machine");

    platform.kill();
    platform.restart(Map.of("SANDBOXER_MOUNT_ROOTS", folders.root() + ":rw"));
    assertThat(out(id, "cat data/out")).isEqualTo("changed\n");

    Api.Reply gone = platform.api().delete("/v1/sandboxes/" + id, "Prefer", "wait=60");
    assertThat(gone.field("/state")).as(gone.text()).isEqualTo("destroyed");
    assertThat(engine.containers(id.substring("sb_".length()))).isEmpty();
    assertThat(folders.root().resolve("data/out")).hasContent("changed");
  }

  @Test
  void aMachineThatDoesNotAnswerIsLeftOrWaitedFor() throws IOException {
    assertThat(add("").status()).isEqualTo(201);
    await().atMost(PATIENCE).until(() -> host().path("state").asText().equals("ready"));
    String leaving =
        ready(
            "leaving",
            "on_lost: recreate\nlost_after: 30s\n",
            "{extension: ext.docker, host: far}, ext.docker");
    String waiting = ready("waiting", "", "{extension: ext.docker, host: far}");

    List<ProcessHandle> sessions = server.sessions();
    server.stop();
    sessions.forEach(ProcessHandle::destroyForcibly);
    await()
        .atMost(LOSS)
        .until(() -> sandbox(waiting).at("/conditions/0/type").asText().equals("unreachable"));
    assertThat(sandbox(waiting).at("/conditions/0/detail/0").asText())
        .isEqualTo("host far does not answer");
    await()
        .atMost(LOSS)
        .until(
            () ->
                sandbox(leaving).path("generation").asInt() == 2
                    && sandbox(leaving).path("state").asText().equals("ready"));
    assertThat(sandbox(leaving).path("host").asText()).isNotEqualTo("far");
    assertThat(out(leaving, "echo moved")).isEqualTo("moved\n");

    server.start();
    await().atMost(LOSS).until(() -> sandbox(waiting).path("conditions").isEmpty());
    assertThat(out(waiting, "echo waited")).isEqualTo("waited\n");
    await()
        .atMost(LOSS)
        .untilAsserted(
            () -> assertThat(engine.containers(leaving.substring("sb_".length()))).hasSize(1));
  }

  /** Each question to the machine that hangs takes its whole time limit. */
  @Test
  void aMachineThatHangsDelaysNoOther() throws IOException, InterruptedException {
    String local = platform.api().get("/v1/hosts").field("/items/0/name");
    assertThat(add("").status()).isEqualTo(201);
    await().atMost(PATIENCE).until(() -> host().path("state").asText().equals("ready"));
    for (int i = 0; i < FAR; i++) {
      var _ = ready("hanging", "", "{extension: ext.docker, host: far}");
    }
    near(local);
    String here = platform.api().ready("near").path("id").asText();
    server.hang();
    try {
      engine.containers(here.substring("sb_".length())).keySet().forEach(engine::remove);
      await()
          .atMost(SOON)
          .until(
              () -> List.of("failed", "destroyed").contains(sandbox(here).path("state").asText()));
    } finally {
      server.goOn();
    }
  }

  private void near(String host) {
    platform.profile(
        "near",
        """
        id: profile.near
        version: 1
        image: sandboxer-test/busybox:latest
        isolation: {level: container}
        resources: {cpus: 1, memory: 256Mi, pids: 64}
        routing: {candidates: [{extension: ext.docker, host: %s}]}
        """
            .formatted(host));
  }

  @AfterEach
  void removeHost() {
    platform.api().destroyAll();
    assertThat(platform.api().delete("/v1/hosts/far").status()).isEqualTo(204);
  }

  private String ready(String name, String more, String candidates) {
    platform.profile(
        name,
        """
        id: profile.%s
        version: 1
        image: sandboxer-test/busybox:latest
        isolation: {level: container}
        resources: {cpus: 1, memory: 256Mi, pids: 64}
        routing: {strategy: explicit, candidates: [%s]}
        %s
        """
            .formatted(name, candidates, more));
    JsonNode made = platform.api().ready(name);
    assertThat(made.path("host").asText()).isEqualTo("far");
    return made.path("id").asText();
  }

  private JsonNode sandbox(String id) {
    return platform.api().get("/v1/sandboxes/" + id).json();
  }

  private String out(String id, String line) {
    Api.Reply reply = platform.api().access(id).exec("sh", "-c", line);
    assertThat(reply.field("/exit_code")).as(reply.text()).isEqualTo("0");
    return reply.field("/stdout");
  }
}
