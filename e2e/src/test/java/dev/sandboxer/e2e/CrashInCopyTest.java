package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sandboxer.testing.client.Api;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Sandboxes with copied folders whose platform was killed while they were copied. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ParameterizedClass(name = "on {0}")
@MethodSource("nsjail")
class CrashInCopyTest extends Crashes {

  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private final HostTree host;

  CrashInCopyTest() throws IOException {
    host = new HostTree();
  }

  /** What is cut off is the same for all. */
  static List<Backend> nsjail() {
    return List.of(new NsjailBackend());
  }

  @Override
  Map<String, String> settings() {
    return Map.of("SANDBOXER_MOUNT_ROOTS", host.root() + ":rw");
  }

  @AfterAll
  void removeTree() {
    host.close();
  }

  @Test
  void nothingIsLostWhereverThePlatformWasKilled() throws IOException {
    host.write("data/file", "1");
    platform.profile(
        "copied",
        """
        id: profile.copied
        version: 1
        extends: %s@2
        mounts:
          - {host_path: %s/data, mount_path: /workspace/data, mode: rw, delivery: copy}
        """
            .formatted(backend.profile(), host.root()));

    cut(List.of(new Cut("create.copied", this::create)));
    String id = platform.api().get("/v1/sandboxes").field("/items/0/id");
    await()
        .atMost(PATIENCE)
        .until(() -> platform.api().get("/v1/sandboxes/" + id).field("/state").equals("ready"));
    exec(
        id,
        "cat /workspace/data/file && echo 2 > /workspace/data/file && echo 3 > /workspace/data/new");

    cut(List.of(new Cut("copy.fetching", () -> post("/v1/sandboxes/" + id + "/sync"))));
    assertThat(platform.home().resolve("copies")).isEmptyDirectory();

    cut(List.of(new Cut("copy.merged", () -> post("/v1/sandboxes/" + id + "/sync"))));
    assertThat(host.read("data/file") + host.read("data/new")).isEqualTo("2\n3\n");
    Api.Reply again = platform.api().post("/v1/sandboxes/" + id + "/sync", "");
    assertThat(again.field("/mounts/0/conflicts/0/path")).as(again.text()).isEmpty();

    exec(id, "echo 4 > /workspace/data/file");
    cut(
        List.of(
            new Cut(
                "copy.merged",
                () -> {
                  var _ = platform.api().delete("/v1/sandboxes/" + id);
                })));
    await()
        .atMost(PATIENCE)
        .until(() -> platform.api().get("/v1/sandboxes/" + id).field("/state").equals("destroyed"));
    assertThat(host.read("data/file") + host.read("data/new")).isEqualTo("4\n3\n");
    assertThat(host.has("data/file." + id)).isFalse();
    assertThat(platform.api().get("/v1/sandboxes/" + id + "/events").text())
        .doesNotContain("mount.lost");
    oneObjectForEachLiveRecord(platform.api());
  }

  private void create() {
    post(
        "/v1/sandboxes",
        """
        {"profile": "copied", "consumer": {"actor": "atm", "project": "e2e"}}""");
  }

  private void post(String path) {
    post(path, "");
  }

  private void post(String path, String body) {
    var _ = platform.api().post(path, body);
  }

  private void exec(String id, String line) {
    Api.Reply done = platform.api().access(id).exec("sh", "-c", line);
    assertThat(done.field("/exit_code")).as(done.text()).isEqualTo("0");
  }
}
