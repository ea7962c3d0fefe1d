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
    platform = Platform.start(Map.of("SANDBOXER_MOUNT_ROOTS", host.toString()));
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
    String profile = "skilled-" + backend;
    Path folder = Files.createDirectories(platform.home().resolve("profiles"));
    Files.writeString(
        folder.resolve(profile + ".yaml"),
        """
        id: profile.%s
        version: 1
        extends: %s@1
        caller_mounts: {roots: [%s], modes: [ro], max: 8}
        """
            .formatted(profile, backend.profile(), host));
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> api.get("/v1/profiles").text().contains("profile." + profile));
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

  private Api.Reply put(String body) {
    return api.send("PUT", "/v1/pipelines/chat-" + backend, body.getBytes(StandardCharsets.UTF_8));
  }
}
