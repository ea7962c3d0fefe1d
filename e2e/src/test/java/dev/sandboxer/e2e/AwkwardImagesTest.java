package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.testing.client.Api;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Images that are odd or made to hurt: each works, or ends in an error that says what it is. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@EnabledIfEnvironmentVariable(named = "SANDBOXER_DOCKER_HOST", matches = ".+")
class AwkwardImagesTest {

  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private Platform platform;
  private Api api;
  private Backend backend;

  @BeforeAll
  void start() {
    Engine engine = Backends.docker().orElseThrow();
    backend = new DockerBackend(engine);
    platform = Platform.start(Map.of("SANDBOXER_DOCKER_HOST", engine.host()));
    api = platform.api();
  }

  @AfterAll
  void stop() {
    platform.close();
  }

  private Api.Reply create(String image) throws IOException {
    Files.writeString(
        platform.home().resolve("profiles/" + image + ".yaml"),
        """
        id: profile.%1$s
        version: 1
        extends: docker-debian@2
        image: sandboxer-test/%1$s:latest
        """
            .formatted(image));
    await().atMost(PATIENCE).until(() -> api.get("/v1/profiles/" + image).status() == 200);
    return api.post("/v1/sandboxes", Api.create(image), "Prefer", "wait=60");
  }

  private Api.Dataplane works(String image) throws IOException {
    Api.Reply reply = create(image);
    assertThat(reply.status()).as(reply.text()).isEqualTo(201);
    return api.access(reply.field("/id"));
  }

  @Test
  void anEmptyImageHasItsFilesAndSaysThatItHasNoShell() throws IOException {
    Api.Dataplane inside = works("empty");
    assertThat(inside.upload("file", new byte[] {1, 2}).status()).isBetween(200, 204);
    assertThat(inside.get("/files/stat?path=file").field("/size_bytes")).isEqualTo("2");
    Api.Reply shell = inside.post("/exec", "{\"command\": \"true\"}");
    assertThat(shell.status()).isEqualTo(400);
    assertThat(shell.code()).isEqualTo("VALIDATION");
    assertThat(shell.field("/detail")).contains("/bin/sh");
  }

  /** The entrypoint would end at once, and the awkward one's user, volumes and health check act. */
  @ParameterizedTest
  @ValueSource(strings = {"entrypoint-exits", "awkward"})
  void whatTheImageWouldRunDoesNotRun(String image) throws IOException {
    Api.Dataplane inside = works(image);
    Api.Reply seen =
        inside.exec(
            "sh",
            "-c",
            "id -u; pwd; ls /tmp; ls -A /run/sandboxer 2>/dev/null | grep health; true");
    assertThat(seen.field("/exit_code")).as(seen.text()).isEqualTo("0");
    assertThat(seen.field("/stdout").lines().skip(1)).containsExactly("/workspace");
    assertThat(seen.field("/stdout")).doesNotStartWith("12345\n").doesNotStartWith("0\n");
  }

  @Test
  void volumesOfTheImageTakeNoneOfTheHostsDisk() throws IOException {
    Api.Dataplane inside = works("awkward");
    Api.Reply mounts = inside.exec("sh", "-c", "grep -E ' /data | /etc/volume ' /proc/mounts");
    assertThat(mounts.field("/stdout").lines())
        .hasSize(2)
        .allSatisfy(line -> assertThat(line).startsWith("tmpfs ").contains("nosuid", "nodev"));
  }

  /** The Engine mounts its own over them, or refuses: see ext-docker's tests for what is inside. */
  @ParameterizedTest
  @ValueSource(strings = {"dev-link", "proc-link"})
  void linksWhereTheKernelsFilesBelongDoNoHarm(String image) throws IOException {
    assertThat(works(image).exec("echo", "fine").field("/stdout")).isEqualTo("fine\n");
  }

  @Test
  void anotherMachinesImageIsRefusedAndLeavesNothing() throws IOException {
    String image = "other-arch";
    Api.Reply reply = create(image);
    assertThat(reply.status()).as(reply.text()).isBetween(400, 599).isNotEqualTo(500);
    assertThat(reply.code()).isIn("VALIDATION", "UNSUPPORTED", "NO_CANDIDATE");
    assertThat(reply.field("/detail"))
        .contains("sandboxer-test/" + image, "this machine is linux/");
    String id = reply.field("/sandbox_id");
    await()
        .atMost(PATIENCE)
        .until(() -> api.get("/v1/sandboxes/" + id).field("/cleanup").equals("done"));
    assertThat(backend.objectsOf(id)).isEmpty();
    JsonNode failed = api.get("/v1/sandboxes/" + id).json();
    assertThat(failed.path("state").asText()).isEqualTo("failed");
  }
}
