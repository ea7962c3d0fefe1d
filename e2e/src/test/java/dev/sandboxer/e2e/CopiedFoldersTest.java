package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.testing.client.Api;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** Folders of the host as copies: in before the sandbox is ready, and back from it. */
@OnEveryBackend
class CopiedFoldersTest {

  private static final Duration PATIENCE = Duration.ofMinutes(1);

  @Parameter private Backend backend;

  private HostTree host;
  private Platform platform;
  private Api api;
  private String profile = "";
  private String folder = "";

  @BeforeAll
  void start() throws IOException {
    host = new HostTree();
    platform = Platform.start(Map.of("SANDBOXER_MOUNT_ROOTS", host.root() + ":rw"));
    api = platform.api();
  }

  @BeforeEach
  void makeProfile() throws IOException {
    profile = "copies-" + backend;
    folder = backend.toString();
    platform.profile(
        profile,
        """
        id: profile.%s
        version: 1
        extends: %s@2
        caller_mounts: {roots: [%s], modes: [rw], unlimited: true, max: 4}
        """
            .formatted(profile, backend.profile(), host.root()));
  }

  @AfterAll
  void stop() {
    api.destroyAll();
    platform.close();
    host.close();
  }

  private Api.Reply create(String name, String mode, String more) {
    return api.post(
        "/v1/sandboxes",
        """
        {"profile": "%s", "consumer": {"actor": "atm", "project": "e2e"},
         "mounts": [{"host_path": "%s/%s", "mount_path": "/workspace/data", "mode": "%s",
           "delivery": "copy"%s}]}"""
            .formatted(profile, host.root(), name, mode, more),
        "Prefer",
        "wait=60");
  }

  private String sandbox(String name, String mode, String more) {
    Api.Reply made = create(name, mode, more);
    assertThat(made.status()).as(made.text()).isEqualTo(201);
    assertThat(made.field("/mounts/0/delivery")).isEqualTo("copy");
    assertThat(made.field("/mounts/0/mode")).isEqualTo(mode);
    return made.field("/id");
  }

  private String out(String sandbox, String line) {
    Api.Reply done = api.access(sandbox).exec("sh", "-c", line);
    assertThat(done.field("/exit_code")).as(done.text()).isEqualTo("0");
    return done.field("/stdout");
  }

  private void end(String sandbox) {
    assertThat(api.delete("/v1/sandboxes/" + sandbox, "Prefer", "wait=60").status()).isIn(200, 202);
    await()
        .atMost(PATIENCE)
        .until(() -> api.get("/v1/sandboxes/" + sandbox).field("/state").equals("destroyed"));
  }

  private List<JsonNode> events(String sandbox, String type) {
    return StreamSupport.stream(
            api.get("/v1/sandboxes/" + sandbox + "/events").json().path("items").spliterator(),
            false)
        .filter(event -> event.path("type").asText().equals(type))
        .toList();
  }

  @Test
  void changesComeBackOnRequestAndAtTheEnd() {
    String at = folder + "/changes/";
    host.write(at + "kept", "1");
    host.write(at + "deep/changed", "1");
    host.write(at + "removed", "1");
    String id = sandbox(folder + "/changes", "rw", "");
    assertThat(out(id, "cd /workspace/data && cat kept deep/changed removed")).isEqualTo("111");
    out(
        id,
        "cd /workspace/data && echo 2 > deep/changed && rm removed && mkdir new && echo 3 > new/file");
    Api.Reply synced = api.post("/v1/sandboxes/" + id + "/sync", "");
    assertThat(synced.status()).as(synced.text()).isEqualTo(200);
    assertThat(synced.field("/mounts/0/mount_path")).isEqualTo("/workspace/data");
    assertThat(synced.field("/mounts/0/written")).isEqualTo("3");
    assertThat(synced.field("/mounts/0/removed")).isEqualTo("1");
    assertThat(host.read(at + "deep/changed") + host.read(at + "new/file")).isEqualTo("2\n3\n");
    assertThat(host.has(at + "removed")).isFalse();

    out(id, "echo last > /workspace/data/last");
    end(id);
    assertThat(host.read(at + "last")).isEqualTo("last\n");
    assertThat(host.read(at + "kept")).isEqualTo("1");
    assertThat(events(id, "mount.synced")).hasSize(2);
    assertThat(events(id, "mount.lost")).isEmpty();
  }

  @Test
  void whatBothSidesChangedIsKeptTwice() {
    String at = folder + "/both/";
    host.write(at + "notes", "1");
    String id = sandbox(folder + "/both", "rw", "");
    out(id, "cd /workspace/data && echo inside > notes && ln -s /etc out && mkfifo pipe");
    host.write(at + "notes", "host\n");
    end(id);
    assertThat(host.read(at + "notes")).isEqualTo("host\n");
    assertThat(host.read(at + "notes." + id)).isEqualTo("inside\n");
    assertThat(host.has(at + "out")).isFalse();
    JsonNode detail = events(id, "mount.synced").getFirst().path("detail");
    assertThat(detail.at("/conflicts/0/kept").asText()).isEqualTo("notes." + id);
    assertThat(detail.at("/skipped/0/path").asText()).isEqualTo("out");
  }

  @Test
  void aReadOnlyCopyNeverComesBack() {
    host.write(folder + "/given/file", "1");
    String id = sandbox(folder + "/given", "ro", "");
    out(id, "echo 2 > /workspace/data/file");
    Api.Reply synced = api.post("/v1/sandboxes/" + id + "/sync", "");
    assertThat(synced.status()).isEqualTo(200);
    assertThat(synced.json().path("mounts")).isEmpty();
    end(id);
    assertThat(host.read(folder + "/given/file")).isEqualTo("1");
  }

  @Test
  void changesComeBackAtTheInterval() {
    host.write(folder + "/often/file", "1");
    String id = sandbox(folder + "/often", "rw", ", \"sync_interval\": \"10s\"");
    out(id, "echo 2 > /workspace/data/file");
    await().atMost(PATIENCE).until(() -> host.read(folder + "/often/file").equals("2\n"));
    assertThat(api.get("/v1/sandboxes/" + id).field("/state")).isEqualTo("active");
    end(id);
  }

  @Test
  void aFolderThatStallsDelaysNoOther() {
    host.write(folder + "/stalled/file", "1");
    host.write(folder + "/other/file", "1");
    String stalled = sandbox(folder + "/stalled", "rw", ", \"sync_interval\": \"10s\"");
    out(stalled, "echo 2 > /workspace/data/file");
    platform.arm("copy.fetching");
    platform.awaitFailpoint("copy.fetching");
    platform.arm("");
    String other = sandbox(folder + "/other", "rw", ", \"sync_interval\": \"10s\"");
    out(other, "echo 2 > /workspace/data/file");
    await().atMost(PATIENCE).until(() -> host.read(folder + "/other/file").equals("2\n"));
    assertThat(host.read(folder + "/stalled/file")).isEqualTo("1");
    platform.release();
    await().atMost(PATIENCE).until(() -> host.read(folder + "/stalled/file").equals("2\n"));
    end(stalled);
    end(other);
  }

  @Test
  void theNextGenerationGetsWhatTheOneBeforeChanged() {
    host.write(folder + "/again/file", "1");
    String id = sandbox(folder + "/again", "rw", "");
    out(id, "echo 2 > /workspace/data/file");
    Api.Reply again =
        api.post("/v1/sandboxes/" + id + "/recreate", "", "If-Match", "\"1\"", "Prefer", "wait=60");
    assertThat(again.field("/generation")).as(again.text()).isEqualTo("2");
    await()
        .atMost(PATIENCE)
        .until(() -> api.get("/v1/sandboxes/" + id).field("/state").equals("ready"));
    assertThat(out(id, "cat /workspace/data/file")).isEqualTo("2\n");
    end(id);
  }

  private Api.Reply box(String mounts) {
    return api.post(
        "/v1/boxes",
        """
        {"template": "{launcher_id}", "variables": {"launcher_id": "%1$s"}, "profile": "%2$s"%3$s}"""
            .formatted(folder, profile, mounts),
        "Prefer",
        "wait=60");
  }

  private String mounts(String... paths) {
    return Stream.of(paths)
        .map(
            path ->
                "{\"host_path\": \"%s/%s/more\", \"mount_path\": \"%s\", \"mode\": \"rw\"}"
                    .formatted(host.root(), folder, path))
        .collect(Collectors.joining(", ", ", \"mounts\": [", "]"));
  }

  @Test
  void aLivingBoxIsGivenFurtherFoldersAsCopies() {
    host.write(folder + "/more/file", "1");
    Api.Reply made = box("");
    assertThat(made.field("/outcome")).as(made.text()).isEqualTo("new");
    String sandbox = made.field("/sandbox_id");
    out(sandbox, "echo own > /workspace/own");
    Api.Reply extended = box(mounts("/workspace/more"));
    assertThat(extended.status()).as(extended.text()).isEqualTo(200);
    assertThat(extended.field("/outcome")).isEqualTo("extended");
    assertThat(extended.field("/sandbox_id")).isEqualTo(sandbox);
    assertThat(out(sandbox, "cat /workspace/own /workspace/more/file")).isEqualTo("own\n1");
    assertThat(api.get("/v1/sandboxes/" + sandbox).field("/mounts/0/delivery")).isEqualTo("copy");
    assertThat(box(mounts("/workspace/more")).field("/outcome")).isEqualTo("found");
    assertThat(box("").field("/outcome")).isEqualTo("found");
    for (String other : List.of("/data", "/workspace/more/deep")) {
      Api.Reply refused = box(mounts("/workspace/more", other));
      assertThat(refused.status()).as(refused.text()).isIn(400, 409);
    }
    Api.Reply fewer = box(", \"mounts\": []");
    assertThat(fewer.code()).as(fewer.text()).isEqualTo("BOX_CONFLICT");

    out(sandbox, "echo 2 > /workspace/more/file");
    end(sandbox);
    assertThat(host.read(folder + "/more/file")).isEqualTo("2\n");
    Api.Reply again = box("");
    assertThat(again.field("/outcome")).isEqualTo("vanished");
    assertThat(out(again.field("/sandbox_id"), "cat /workspace/more/file")).isEqualTo("2\n");
    assertThat(api.delete("/v1/boxes/" + made.field("/id")).status()).isEqualTo(204);
  }

  @Test
  void ofFurtherFoldersThoseThatWereCopiedStay() throws IOException {
    host.write(folder + "/first/file", "1");
    Path large = large(folder + "/second");
    Api.Reply made = box("");
    String sandbox = made.field("/sandbox_id");
    Api.Reply refused = box(twoMounts());
    assertThat(refused.status()).as(refused.text()).isEqualTo(400);
    assertThat(refused.field("/detail"))
        .contains("mounts: /workspace/second cannot be copied in", "no room for \"file\"");
    Api.Reply living = api.get("/v1/sandboxes/" + sandbox);
    assertThat(living.field("/mounts/0/mount_path")).isEqualTo("/workspace/first");
    assertThat(living.json().path("mounts")).hasSize(1);
    out(sandbox, "echo 2 > /workspace/first/file");

    Files.delete(large);
    assertThat(box(twoMounts()).field("/outcome")).isEqualTo("extended");
    assertThat(out(sandbox, "cat /workspace/first/file")).isEqualTo("2\n");
    Api.Reply again =
        api.post(
            "/v1/sandboxes/" + sandbox + "/recreate", "", "If-Match", "\"1\"", "Prefer", "wait=60");
    assertThat(again.field("/state")).as(again.text()).isEqualTo("ready");
    assertThat(out(sandbox, "cat /workspace/first/file; ls -d /workspace/second"))
        .isEqualTo("2\n/workspace/second\n");
    end(sandbox);
    assertThat(host.read(folder + "/first/file")).isEqualTo("2\n");
    assertThat(events(sandbox, "mount.lost")).isEmpty();
    assertThat(api.delete("/v1/boxes/" + made.field("/id")).status()).isEqualTo(204);
  }

  private String twoMounts() {
    return """
        , "mounts": [
          {"host_path": "%1$s/first", "mount_path": "/workspace/first", "mode": "rw"},
          {"host_path": "%1$s/second", "mount_path": "/workspace/second", "mode": "rw"}]"""
        .formatted(host.root().resolve(folder));
  }

  /** A file that fits in no workspace. */
  private Path large(String name) throws IOException {
    Path large = Files.createDirectories(host.root().resolve(name)).resolve("file");
    try (FileChannel file =
        FileChannel.open(large, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      var _ = file.write(ByteBuffer.wrap(new byte[1]), 4L << 30);
    }
    return large;
  }

  @Test
  void whatASandboxHadThatWasKilledIsSaidToBeLost() {
    host.write(folder + "/lost/file", "1");
    String id = sandbox(folder + "/lost", "rw", "");
    out(id, "echo 2 > /workspace/data/file");
    backend.killFromOutside(id);
    await().atMost(PATIENCE).until(() -> !events(id, "mount.lost").isEmpty());
    assertThat(events(id, "mount.lost").getFirst().at("/detail/mount_path").asText())
        .isEqualTo("/workspace/data");
    assertThat(host.read(folder + "/lost/file")).isEqualTo("1");
    await().atMost(PATIENCE).until(() -> backend.objectsOf(id).isEmpty());
  }

  @Test
  void aSandboxThatNeverWasReadyLosesNothing() {
    host.write(folder + "/never/file", "1");
    platform.arm("create.copied");
    Api.Reply begun =
        api.post(
            "/v1/sandboxes",
            """
            {"profile": "%1$s", "consumer": {"actor": "atm", "project": "e2e"}, "mounts": [
              {"host_path": "%2$s", "mount_path": "/workspace/a", "mode": "rw", "delivery": "copy"},
              {"host_path": "%2$s", "mount_path": "/workspace/b", "mode": "rw", "delivery": "copy"}]}"""
                .formatted(profile, host.root().resolve(folder + "/never")));
    assertThat(begun.status()).as(begun.text()).isEqualTo(202);
    String id = begun.field("/id");
    platform.awaitFailpoint("create.copied");
    backend.killFromOutside(id);
    await().atMost(PATIENCE).until(() -> backend.processesOf(id).findAny().isEmpty());
    platform.release();
    await()
        .atMost(PATIENCE)
        .until(() -> api.get("/v1/sandboxes/" + id).field("/cleanup").equals("done"));
    Api.Reply failed = api.get("/v1/sandboxes/" + id);
    assertThat(failed.field("/state")).as(failed.text()).isEqualTo("failed");
    assertThat(events(id, "mount.lost")).isEmpty();

    Api.Reply again =
        api.post("/v1/sandboxes/" + id + "/recreate", "", "If-Match", "\"1\"", "Prefer", "wait=60");
    assertThat(again.field("/state")).as(again.text()).isEqualTo("ready");
    assertThat(out(id, "cat /workspace/a/file /workspace/b/file")).isEqualTo("11");
    end(id);
  }

  @Test
  void aCopyInsideAMountedWorkspaceIsRefused() {
    Api.Reply reply =
        api.post(
            "/v1/sandboxes",
            """
            {"profile": "%1$s", "consumer": {"actor": "atm", "project": "e2e"}, "mounts": [
              {"host_path": "%2$s", "mount_path": "/workspace"},
              {"host_path": "%2$s", "mount_path": "/workspace/x", "delivery": "copy"}]}"""
                .formatted(profile, host.root()));
    assertThat(reply.status()).isEqualTo(400);
    assertThat(reply.field("/detail")).contains("exclude each other");
  }

  @Test
  void badMountsAreRefused() {
    host.write(folder + "/bad/file", "1");
    List<String> refused = new ArrayList<>();
    for (String more :
        List.of(
            ", \"sync_interval\": \"1s\"",
            ", \"sync_interval\": \"soon\"",
            ", \"delivery\": \"move\"")) {
      Api.Reply reply = create(folder + "/bad", "rw", more);
      assertThat(reply.status()).as(reply.text()).isEqualTo(400);
      refused.add(reply.field("/detail"));
    }
    assertThat(refused.get(0)).contains("mounts[0].sync_interval").contains("from 10s to 24h");
    assertThat(refused.get(1)).contains("must be a duration");
    Api.Reply elsewhere =
        api.post(
            "/v1/sandboxes",
            """
            {"profile": "%s", "consumer": {"actor": "atm", "project": "e2e"},
             "mounts": [{"host_path": "%s", "mount_path": "/data", "delivery": "copy"}]}"""
                .formatted(profile, host.root()));
    assertThat(elsewhere.status()).isEqualTo(400);
    assertThat(elsewhere.field("/detail")).contains("must lie below /workspace or /tmp");
    Api.Reply nobody = api.post("/v1/sandboxes/sb_00000000000000000000/sync", "");
    assertThat(nobody.status()).isEqualTo(404);
  }

  @Test
  void aFolderThatDoesNotFitFailsTheCreateAndSaysWhy() throws IOException {
    Path large = large(folder + "/large");
    Api.Reply made = create(folder + "/large", "rw", "");
    assertThat(made.status()).as(made.text()).isEqualTo(400);
    assertThat(made.field("/detail"))
        .contains("mounts: it cannot be copied in: /workspace/data", "no room for \"file\"");
    Files.delete(large);
  }
}
