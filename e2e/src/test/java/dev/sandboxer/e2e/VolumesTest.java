package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.testing.client.Api;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** Named volumes: they outlive sandboxes, hold what fits, and have one writer or many readers. */
@OnEveryBackend
class VolumesTest {

  @Parameter private Backend backend;

  private Platform platform;
  private Api api;
  private String profile = "";

  @BeforeAll
  void start() {
    platform = Platform.start(Map.of());
    api = platform.api();
  }

  @BeforeEach
  void makeProfile() throws IOException {
    profile = "volumes-" + backend;
    platform.profile(
        profile,
        """
        id: profile.%s
        version: 1
        extends: %s@2
        caller_mounts: {modes: [volume], max: 4}
        """
            .formatted(profile, backend.profile()));
  }

  @AfterAll
  void stop() {
    api.destroyAll();
    for (JsonNode one : api.get("/v1/volumes").json().path("items")) {
      var _ = api.delete("/v1/volumes/" + one.path("name").asText());
    }
    platform.close();
  }

  private String volume(String size) {
    String name = "v-" + UUID.randomUUID();
    Api.Reply made =
        api.post(
            "/v1/volumes",
            """
            {"name": "%s", "size": "%s", "extension": "%s"}"""
                .formatted(name, size, backend.extension()));
    assertThat(made.status()).as(made.text()).isEqualTo(201);
    assertThat(made.field("/state")).isEqualTo("ready");
    assertThat(made.field("/extension_id")).isEqualTo(backend.extension());
    return name;
  }

  private Api.Reply create(String volume, String mode) {
    return api.post(
        "/v1/sandboxes",
        """
        {"profile": "%s", "consumer": {"actor": "atm", "project": "e2e"},
         "mounts": [{"volume": "%s", "mount_path": "/data", "mode": "%s"}]}"""
            .formatted(profile, volume, mode),
        "Prefer",
        "wait=60");
  }

  private String sandbox(String volume, String mode) {
    Api.Reply made = create(volume, mode);
    assertThat(made.status()).as(made.text()).isEqualTo(201);
    return made.field("/id");
  }

  private Api.Reply sh(String sandbox, String line) {
    return api.access(sandbox).exec("sh", "-c", line);
  }

  private String out(String sandbox, String line) {
    return sh(sandbox, line).field("/stdout");
  }

  private void end(String sandbox) {
    assertThat(api.delete("/v1/sandboxes/" + sandbox, "Prefer", "wait=60").status()).isIn(200, 202);
  }

  private void remove(String volume) {
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> api.delete("/v1/volumes/" + volume).status() == 204);
    assertThat(api.get("/v1/volumes/" + volume).code()).isEqualTo("NOT_FOUND");
  }

  @Test
  void whatIsWrittenSurvivesTheSandboxWhicheverUserIdTheNextOneHas() {
    String volume = volume("32MiB");
    String first = sandbox(volume, "rw");
    out(first, "mkdir -p /data/deep && umask 077 && echo kept > /data/deep/note");
    String user = out(first, "stat -c %u /data; grep ' /data ' /proc/self/mountinfo");
    assertThat(user).contains("nosuid").contains("nodev");
    end(first);

    String second = sandbox(volume, "rw");
    assertThat(second).isNotEqualTo(first);
    assertThat(out(second, "cat /data/deep/note && rm /data/deep/note && ls -A /data/deep"))
        .isEqualTo("kept\n");
    assertThat(out(second, "ls -A /data")).isEqualTo("deep\n");
    JsonNode shown = api.get("/v1/volumes/" + volume).json();
    assertThat(shown.path("size_bytes").asLong()).isEqualTo(32L << 20);
    assertThat(shown.path("used_bytes").asLong()).isPositive();
    assertThat(shown.at("/sandboxes/0/sandbox_id").asText()).isEqualTo(second);
    assertThat(shown.at("/sandboxes/0/mode").asText()).isEqualTo("rw");
    end(second);
    remove(volume);
  }

  @Test
  void aVolumeIsTheWorkspaceWithOtherMountsBelow() {
    String volume = volume("32MiB");
    String below = volume("16MiB");
    String first = inWorkspace(volume, "rw", below);
    assertThat(out(first, "pwd; echo kept > note; echo deep > a/b/note; cat note a/b/note"))
        .isEqualTo("/workspace\nkept\ndeep\n");
    assertThat(sh(first, "head -c 40m /dev/zero > big; rm big").field("/stderr"))
        .contains("No space left on device");
    end(first);
    String second = inWorkspace(volume, "ro", below);
    assertThat(out(second, "cat note a/b/note")).isEqualTo("kept\ndeep\n");
    assertThat(sh(second, "echo x > x").field("/stderr")).contains("Read-only file system");
    end(second);
    remove(volume);
    remove(below);
  }

  private String inWorkspace(String volume, String mode, String below) {
    Api.Reply made =
        api.post(
            "/v1/sandboxes",
            """
            {"profile": "%s", "consumer": {"actor": "atm", "project": "e2e"}, "mounts": [
              {"volume": "%s", "mount_path": "/workspace/a/b", "mode": "rw"},
              {"volume": "%s", "mount_path": "/workspace", "mode": "%s"}]}"""
                .formatted(profile, below, volume, mode),
            "Prefer",
            "wait=60");
    assertThat(made.status()).as(made.text()).isEqualTo(201);
    return made.field("/id");
  }

  @Test
  void aFullVolumeTakesNoMoreAndHarmsNothingElse() {
    String volume = volume("32MiB");
    String full = sandbox(volume, "rw");
    out(full, "echo before > /data/before");
    Api.Reply written = sh(full, "head -c 40m /dev/zero > /data/big");
    assertThat(written.field("/stderr")).contains("No space left on device");
    long bytes = Long.parseLong(out(full, "stat -c %s /data/big").strip());
    assertThat(bytes).isBetween(20L << 20, 32L << 20);
    assertThat(out(full, "cat /data/before; echo fine > /workspace/x; cat /workspace/x"))
        .isEqualTo("before\nfine\n");
    assertThat(out(full, "rm /data/big && echo again > /data/again && cat /data/again"))
        .isEqualTo("again\n");
    end(full);
    remove(volume);
  }

  @Test
  void oneWritesOrSeveralRead() {
    String volume = volume("16Mi");
    String writer = sandbox(volume, "rw");
    out(writer, "umask 077; echo secret > /data/own");
    for (String mode : List.of("rw", "ro")) {
      Api.Reply refused = create(volume, mode);
      assertThat(refused.status()).isEqualTo(409);
      assertThat(refused.code()).isEqualTo("VOLUME_IN_USE");
      assertThat(refused.field("/sandbox_id")).isEqualTo(writer);
      assertThat(refused.field("/detail")).contains(volume, writer, "has it for writing");
    }
    Api.Reply kept = api.delete("/v1/volumes/" + volume);
    assertThat(kept.status()).isEqualTo(409);
    assertThat(kept.code()).isEqualTo("VOLUME_IN_USE");
    assertThat(kept.field("/sandbox_id")).isEqualTo(writer);
    end(writer);

    String one = sandbox(volume, "ro");
    String two = sandbox(volume, "ro");
    for (String reader : List.of(one, two)) {
      assertThat(out(reader, "cat /data/own")).isEqualTo("secret\n");
      assertThat(sh(reader, "echo x > /data/x").field("/stderr")).contains("Read-only file system");
    }
    assertThat(create(volume, "rw").code()).isEqualTo("VOLUME_IN_USE");
    assertThat(api.get("/v1/volumes/" + volume).json().path("sandboxes")).hasSize(2);
    end(one);
    end(two);
    remove(volume);
  }

  @Test
  void ofTwoWritersAtOnceOneIsRefused() throws Exception {
    String volume = volume("16Mi");
    CyclicBarrier both = new CyclicBarrier(2);
    Callable<Api.Reply> writer =
        () -> {
          both.await();
          return create(volume, "rw");
        };
    List<Api.Reply> replies;
    try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
      replies = threads.invokeAll(List.of(writer, writer)).stream().map(VolumesTest::got).toList();
    }
    assertThat(replies).extracting(Api.Reply::status).containsExactlyInAnyOrder(201, 409);
    String winner = field(replies, 201, "/id");
    assertThat(field(replies, 409, "/sandbox_id")).isEqualTo(winner);
    end(winner);
    remove(volume);
  }

  private static String field(List<Api.Reply> replies, int status, String pointer) {
    return replies.stream()
        .filter(reply -> reply.status() == status)
        .flatMap(reply -> Stream.of(reply.field(pointer)))
        .findFirst()
        .orElseThrow();
  }

  private static Api.Reply got(Future<Api.Reply> reply) {
    try {
      return reply.get();
    } catch (InterruptedException | ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void theNextGenerationAndTheNextSandboxHaveItOnceTheOneBeforeIsGone() {
    String volume = volume("16Mi");
    String first = sandbox(volume, "rw");
    out(first, "echo one > /data/log; sleep 300 & cd /data; sleep 300 > /dev/null 2>&1 &");
    Api.Reply again =
        api.post("/v1/sandboxes/" + first + "/recreate", "", "If-Match", "1", "Prefer", "wait=100");
    assertThat(again.status()).as(again.text()).isEqualTo(201);
    assertThat(out(first, "cat /data/log; echo two >> /data/log")).isEqualTo("one\n");
    assertThat(api.delete("/v1/sandboxes/" + first).status()).isIn(200, 202);
    String next = sandbox(volume, "rw"); // recorded at once, made when the first is gone
    assertThat(out(next, "cat /data/log")).isEqualTo("one\ntwo\n");
    end(next);
    remove(volume);
  }

  @Test
  void aSandboxGoesWhereItsVolumeIs() {
    String other = backend.extension().equals("ext.nsjail") ? "ext.docker" : "ext.nsjail";
    Api.Reply elsewhere =
        api.post(
            "/v1/volumes",
            "{\"name\": \"elsewhere-%s\", \"size\": \"16Mi\", \"extension\": \"%s\"}"
                .formatted(backend, other));
    if (elsewhere.status() != 201) {
      assertThat(elsewhere.code()).isEqualTo("UNAVAILABLE"); // no engine is here
      return;
    }
    Api.Reply refused = create("elsewhere-" + backend, "rw");
    assertThat(refused.code()).isEqualTo("NO_CANDIDATE");
    assertThat(refused.field("/detail"))
        .contains("mounts: volume 'elsewhere-%s' is kept by %s".formatted(backend, other));
    remove("elsewhere-" + backend);
  }
}
