package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sandboxer.testing.client.Api;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Comparator;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** Pipelines with skills: each box has all of them, whichever is used. */
@OnEveryBackend
class PipelinesTest {

  @Parameter private Backend backend;

  /** Below a folder that only root can change, as the rule for mounts wants. */
  private Path host = Path.of("");

  private Platform platform;
  private Api api;

  @BeforeAll
  void start() throws IOException {
    host = Files.createTempDirectory(Path.of("/var/lib"), "sbxskills");
    Files.setPosixFilePermissions(host, PosixFilePermissions.fromString("rwxr-xr-x"));
    for (String skill : new String[] {"search", "report"}) {
      Path folder = Files.createDirectories(host.resolve(skill));
      Files.writeString(folder.resolve("SKILL.md"), skill + "\n");
    }
    platform = Platform.start(Map.of("SANDBOXER_MOUNT_ROOTS", host + ":rw"));
    api = platform.api();
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

  @Test
  void eachBoxHasAllSkillsOfItsPipeline() throws IOException {
    String profile = profile();
    String body =
        """
        {"profile": "%1$s", "skills": [{"name": "search", "package_root": "%2$s/search"},
          {"name": "report", "package_root": "%2$s/report"}]}"""
            .formatted(profile, host);
    assertThat(put(body).status()).isEqualTo(201);
    Api.Reply made =
        api.post(
            "/v1/boxes",
            """
            {"pipeline": "chat-%1$s", "variables": {"launcher_type": "group", "launcher_id": "%1$s"}}"""
                .formatted(backend),
            "Prefer",
            "wait=120");
    assertThat(made.status()).as(made.text()).isEqualTo(201);
    Box box = new Box(api, made.field("/id"), made.field("/sandbox_id"), "");
    assertThat(box.out("cat /workspace/.skills/*/SKILL.md")).isEqualTo("report\nsearch\n");
    assertThat(box.exec("echo x > /workspace/.skills/search/x").field("/stderr"))
        .contains("Read-only file system");
    assertThat(box.out("echo own > /workspace/note; cat /workspace/note")).isEqualTo("own\n");

    Api.Reply gone = put(body.replace("/report\"", "/nowhere\""));
    assertThat(gone.status()).isEqualTo(400);
    assertThat(gone.field("/detail"))
        .contains("mount at '/workspace/.skills/report': %s/nowhere is not there".formatted(host));
    Path moved = Files.move(host.resolve("report"), host.resolve("moved"));
    assertThat(api.delete("/v1/sandboxes/" + box.sandbox()).status()).isEqualTo(202);
    Api.Reply again =
        api.post("/v1/boxes/" + box.id() + "/exec", "{\"command\": \"true\"}", "Prefer", "wait=60");
    assertThat(again.status()).as(again.text()).isEqualTo(400);
    assertThat(again.field("/detail")).contains("report is not there");
    Files.move(moved, host.resolve("report"));
    assertThat(box.out("cat /workspace/.skills/report/SKILL.md")).isEqualTo("report\n");
    box.delete();
  }

  private String profile() throws IOException {
    String profile = "skilled-" + backend;
    platform.profile(
        profile,
        """
        id: profile.%s
        version: 1
        extends: %s@2
        caller_mounts: {roots: [%s], modes: [rw, tmpfs], unlimited: true, max: 8}
        """
            .formatted(profile, backend.profile(), host));
    return profile;
  }

  private Box box(String launcher) {
    Api.Reply made =
        api.post(
            "/v1/boxes",
            """
            {"pipeline": "chat-%s", "variables": {"launcher_type": "person", "launcher_id": "%s"}}"""
                .formatted(backend, launcher),
            "Prefer",
            "wait=120");
    assertThat(made.status()).as(made.text()).isEqualTo(201);
    return new Box(api, made.field("/id"), made.field("/sandbox_id"), "");
  }

  @Test
  void aFolderOfTheHostIsTheWorkspaceOfAllBoxes() throws IOException {
    Path workspace = Files.createDirectories(host.resolve("work-" + backend));
    Files.setPosixFilePermissions(workspace, PosixFilePermissions.fromString("rwxrwxrwx"));
    String body =
        """
        {"profile": "%1$s", "workspace": {"host_path": "%2$s", "mode": "rw"},
          "skills": [{"name": "search", "package_root": "%3$s/search"}],
          "mcp_servers": [{"name": "idle", "command": "/bin/cat"}]}"""
            .formatted(profile(), workspace, host);
    Api.Reply stored = put(body);
    assertThat(stored.status()).as(stored.text()).isIn(200, 201);
    assertThat(stored.json().path("workspace").toString())
        .isEqualTo(
            "{\"host_path\":\"%s\",\"mode\":\"rw\",\"mount_path\":\"/workspace\"}"
                .formatted(workspace));
    Box first = box("first");
    Box second = box("second");
    assertThat(first.out("umask 022; pwd; echo shared > note; cat .skills/search/SKILL.md"))
        .isEqualTo("/workspace\nsearch\n");
    assertThat(second.out("cat note; ls -A .skills/search")).isEqualTo("shared\nSKILL.md\n");
    assertThat(second.exec("echo x > .skills/search/x").field("/stderr"))
        .contains("Read-only file system");
    assertThat(Files.readString(workspace.resolve("note"))).isEqualTo("shared\n");
    assertThat(workspace.resolve(".skills/search")).isEmptyDirectory();
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> Files.isDirectory(workspace.resolve(".mcp/idle")));

    first.delete();
    second.delete();
    Files.delete(workspace.resolve(".skills/search"));
    Files.createSymbolicLink(workspace.resolve(".skills/search"), Path.of("/etc"));
    assertThat(put(body).field("/detail"))
        .isEqualTo(
            "mounts: %s/.skills/search is a link: nothing can be mounted at /workspace/.skills/search"
                .formatted(workspace));
    Files.delete(workspace.resolve(".skills/search"));
    Files.setPosixFilePermissions(workspace, PosixFilePermissions.fromString("rwxr-xr-x"));
    String readOnly = body.replace("rw", "ro").replaceAll(",\\s*\"mcp.*]}", "}");
    assertThat(put(readOnly).field("/detail"))
        .contains(workspace + " is mounted read-only at /workspace and has no folder")
        .contains("/.skills/search to mount at: make it, or mount with mode rw");
    Files.createDirectory(workspace.resolve(".skills/search"));
    assertThat(put(readOnly).status()).isEqualTo(200);
    Box reader = box("first");
    assertThat(reader.out("cat note .skills/search/SKILL.md")).isEqualTo("shared\nsearch\n");
    assertThat(reader.exec("echo x > x").field("/stderr")).contains("Read-only file system");
    reader.delete();
    assertThat(api.delete("/v1/pipelines/chat-" + backend).status()).isEqualTo(204);
  }

  @Test
  void aSkillIsMountedWhileItHoldsWhatItsDigestSays() throws IOException {
    Path skill = Files.createDirectories(host.resolve("tool-" + backend));
    Files.writeString(skill.resolve("SKILL.md"), "first\n");
    String body =
        """
        {"profile": "%s", "skills": [
          {"name": "tool", "package_root": "%s", "content_digest": "sha256:%s"}]}""";
    String wrong = put(body.formatted(profile(), skill, "0".repeat(64))).field("/detail");
    assertThat(wrong).contains(skill + " holds something else than its content_digest says");
    String digest = wrong.substring(wrong.lastIndexOf("sha256:") + "sha256:".length());
    String right = body.formatted(profile(), skill, digest);
    assertThat(put(right).status()).isIn(200, 201);
    Box box = box("one");
    assertThat(box.out("cat /workspace/.skills/tool/SKILL.md")).isEqualTo("first\n");
    assertThat(
            put(right.replace(
                    ", \"content_digest\": \"sha256:" + digest + "\"", ", \"mode\": \"rw\""))
                .field("/detail"))
        .contains("another sandbox has %s mounted by its content_digest".formatted(skill));
    Files.writeString(skill.resolve("SKILL.md"), "other\n");
    assertThat(api.delete("/v1/sandboxes/" + box.sandbox()).status()).isEqualTo(202);
    Api.Reply again =
        api.post("/v1/boxes/" + box.id() + "/exec", "{\"command\": \"true\"}", "Prefer", "wait=60");
    assertThat(again.status()).as(again.text()).isEqualTo(400);
    assertThat(again.field("/detail")).contains("wanted sha256:" + digest + ", found sha256:");

    Files.writeString(skill.resolve("SKILL.md"), "first\n");
    platform.arm("create.attempted");
    String late =
        api.post(
                "/v1/boxes",
                """
                {"pipeline": "chat-%s", "variables": {"launcher_type": "person", "launcher_id": "two"}}"""
                    .formatted(backend))
            .field("/sandbox_id");
    platform.awaitFailpoint("create.attempted");
    Files.delete(platform.home().resolve("run/failpoint.armed"));
    Files.writeString(skill.resolve("SKILL.md"), "other\n");
    Files.delete(platform.home().resolve("run/failpoint"));
    assertThat(api.get("/v1/sandboxes/" + late, "Prefer", "wait=60").field("/failure/message"))
        .contains("mounts: " + skill + " holds something else than its content_digest says");
    box.delete();
    assertThat(api.delete("/v1/pipelines/chat-" + backend).status()).isEqualTo(204);
  }

  private Api.Reply put(String body) {
    return api.send("PUT", "/v1/pipelines/chat-" + backend, body.getBytes(StandardCharsets.UTF_8));
  }
}
