package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.testing.client.Api;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sandboxes that are suspended and resumed: by request, by use, for being idle, and with kills. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SuspensionTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String COUNT =
      "i=0; while true; do i=$((i+1)); echo $i >/workspace/count; sleep 0.05; done >/dev/null 2>&1"
          + " & echo $! >/workspace/pid";

  private final Engine docker = Backends.docker().orElseThrow();
  private Platform platform;
  private Api api;

  @BeforeAll
  void start() {
    platform = Platform.start(Map.of());
    profile("kept", "ext.docker", "");
    profile("idling", "ext.docker", "idle: 1s\non_idle: suspend\n");
    api = platform.api();
  }

  private void profile(String name, String extension, String more) {
    platform.profile(
        name,
        """
        id: profile.%s
        version: 1
        extension: %s
        %s
        isolation: {level: %s}
        resources: {cpus: 1, memory: 256Mi, pids: 64}
        %s
        """
            .formatted(
                name,
                extension,
                extension.equals("ext.docker") ? "image: sandboxer-test/busybox:latest" : "",
                extension.equals("ext.docker") ? "container" : "process",
                more));
  }

  @AfterEach
  void destroy() {
    api.destroyAll();
  }

  @AfterAll
  void stop() {
    platform.close();
  }

  private String ready() {
    return api.ready("kept").path("id").asText();
  }

  private Api.Reply ask(String id, String action) {
    return api.post("/v1/sandboxes/" + id + "/" + action, "", "Prefer", "wait=30");
  }

  private JsonNode sandbox(String id) {
    return api.get("/v1/sandboxes/" + id).json();
  }

  private Set<String> containers(String id) {
    return docker.containers(id.substring("sb_".length())).keySet();
  }

  private String container(String id) {
    return containers(id).iterator().next();
  }

  private List<String> life(String id) {
    return api.get("/v1/sandboxes/" + id + "/events")
        .json()
        .path("items")
        .valueStream()
        .map(event -> event.path("type").asText())
        .filter(type -> type.matches("sandbox\\.(suspend|resum|ready).*"))
        .toList();
  }

  private static String out(Api.Dataplane inside, String line) {
    Api.Reply reply = inside.exec("sh", "-c", line);
    assertThat(reply.field("/exit_code")).as(reply.text()).isEqualTo("0");
    return reply.field("/stdout").strip();
  }

  @Test
  void itsProcessesAreKeptAndUseResumesIt() {
    String id = ready();
    Api.Dataplane inside = api.access(id);
    String pid = out(inside, COUNT + "; cat /workspace/pid");

    Api.Reply suspended = ask(id, "suspend");
    assertThat(suspended.status()).as(suspended.text()).isEqualTo(200);
    assertThat(suspended.field("/state")).isEqualTo("suspended");
    assertThat(suspended.field("/desired")).isEqualTo("suspended");
    assertThat(docker.container(container(id)).at("/State/Paused").asBoolean()).isTrue();
    assertThat(ask(id, "suspend").status()).isEqualTo(200);

    assertThat(out(inside, "kill -0 " + pid + " && echo alive")).isEqualTo("alive");
    assertThat(sandbox(id).path("desired").asText()).isEqualTo("running");
    String before = out(inside, "cat /workspace/count");
    await().atMost(PATIENCE).until(() -> !out(inside, "cat /workspace/count").equals(before));
    assertThat(life(id))
        .containsExactly(
            "sandbox.ready",
            "sandbox.suspending",
            "sandbox.suspended",
            "sandbox.resuming",
            "sandbox.ready");
    assertThat(ask(id, "resume").status()).isEqualTo(200);
  }

  @Test
  void aResumeThatOvertakesASuspensionWins() {
    String id = ready();
    assertThat(api.post("/v1/sandboxes/" + id + "/suspend", "").status()).isEqualTo(202);
    Api.Reply resumed = ask(id, "resume");
    assertThat(resumed.field("/state")).as(resumed.text()).isIn("ready", "active");
    assertThat(out(api.access(id), "echo up")).isEqualTo("up");
  }

  @Test
  void oneThatNobodyUsesIsSuspendedAndUsedAgain() {
    String id = api.ready("idling").path("id").asText();
    Api.Dataplane inside = api.access(id);
    assertThat(out(inside, "echo kept >/workspace/file; echo done")).isEqualTo("done");
    await().atMost(PATIENCE).until(() -> sandbox(id).path("state").asText().equals("suspended"));
    assertThat(out(inside, "cat /workspace/file")).isEqualTo("kept");
  }

  @Test
  void aSuspendedOneIsDestroyedAndItsTokenResumesNothing() {
    String id = ready();
    Api.Dataplane inside = api.access(id);
    assertThat(ask(id, "suspend").status()).isEqualTo(200);
    Api.Reply gone = api.delete("/v1/sandboxes/" + id, "Prefer", "wait=60");
    assertThat(gone.field("/state")).as(gone.text()).isEqualTo("destroyed");
    assertThat(containers(id)).isEmpty();
    assertThat(inside.exec("true").status()).isEqualTo(401);
    assertThat(ask(id, "resume").status()).isEqualTo(409);
    assertThat(ask(id, "suspend").status()).isEqualTo(409);
  }

  /** One call is cut at each step; the next platform goes on with it. */
  @ParameterizedTest
  @ValueSource(strings = {"suspend.claimed", "suspend.called", "resume.claimed", "resume.called"})
  void aKillInBetweenLosesNothing(String step) {
    String id = ready();
    String pid = out(api.access(id), COUNT + "; cat /workspace/pid");
    boolean resuming = step.startsWith("resume");
    if (resuming) {
      assertThat(ask(id, "suspend").status()).isEqualTo(200);
    }
    platform.arm(step);
    String path = "/v1/sandboxes/" + id + (resuming ? "/resume" : "/suspend");
    var _ = CompletableFuture.supplyAsync(() -> api.post(path, ""));
    platform.awaitFailpoint(step);
    platform.kill();
    platform.restart(Map.of());
    api = platform.api();
    String wanted = resuming ? "ready" : "suspended";
    await().atMost(PATIENCE).until(() -> sandbox(id).path("state").asText().equals(wanted));
    assertThat(out(api.access(id), "kill -0 " + pid + " && echo alive")).isEqualTo("alive");
    assertThat(life(id))
        .containsExactly(
            "sandbox.ready",
            "sandbox.suspending",
            "sandbox.suspended",
            "sandbox.resuming",
            "sandbox.ready");
    assertThat(containers(id)).hasSize(1);
  }

  @Test
  void aContainerThatWasRemovedMeanwhileHasFailed() {
    String id = ready();
    assertThat(ask(id, "suspend").status()).isEqualTo(200);
    docker.remove(container(id));
    Api.Reply resumed = ask(id, "resume");
    assertThat(resumed.field("/state")).as(resumed.text()).isIn("failed", "destroyed");
    assertThat(sandbox(id).at("/failure/code").asText()).isEqualTo("CRASH");
  }

  @Test
  void aBackendThatCannotIsRefused() {
    profile("jailed", "ext.nsjail", "");
    String id = api.ready("jailed").path("id").asText();
    Api.Reply refused = ask(id, "suspend");
    assertThat(refused.status()).as(refused.text()).isEqualTo(422);
    assertThat(refused.text()).contains("ext.nsjail cannot suspend sandboxes");
    profile("never", "ext.nsjail", "on_idle: suspend");
    Api.Reply never = api.post("/v1/sandboxes", Api.create("never"));
    assertThat(never.status()).as(never.text()).isEqualTo(422);
    assertThat(never.text()).contains("on_idle", "it is suspend and ext.nsjail cannot");
  }
}
