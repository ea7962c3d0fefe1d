package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandboxer.testing.client.Api;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every shipped profile makes a sandbox that runs what the profile is for. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ReadyProfilesTest {

  private static final String STATIC_PROGRAM = "docker-distroless";

  /** Needs a project and another machine: {@link ComposeTest} is its test. */
  private static final String COMPOSE = "compose-e2e";

  private static final Map<String, List<String>> PRINTS_42 =
      new TreeMap<>(
          Map.of(
              "local", List.of("sh", "-c", "echo $((6 * 7))"),
              "default", List.of("sh", "-c", "echo $((6 * 7))"),
              "offline", List.of("sh", "-c", "echo $((6 * 7))"),
              "offline-readonly", List.of("sh", "-c", "echo $((6 * 7))"),
              "network-basic", List.of("sh", "-c", "echo $((6 * 7))"),
              "network-extended", List.of("sh", "-c", "echo $((6 * 7))"),
              "docker-debian", List.of("bash", "-c", "echo $((6 * 7)) | awk '{print $1}'"),
              "docker-python", List.of("python3", "-c", "import json, ssl; print(6 * 7)"),
              "docker-node", List.of("node", "-e", "console.log(6 * 7)")));

  private Platform platform;

  @BeforeAll
  void start() {
    platform = Platform.start(Map.of());
  }

  @AfterAll
  void stop() {
    platform.close();
  }

  @Test
  void eachShippedProfileHasItsTestHere() throws IOException {
    try (Stream<Path> files = Files.list(Platform.dist().resolve("profiles"))) {
      List<String> shipped =
          files.map(file -> file.getFileName().toString().replace(".yaml", "")).sorted().toList();
      List<String> tested =
          Stream.concat(PRINTS_42.keySet().stream(), Stream.of(STATIC_PROGRAM, COMPOSE))
              .sorted()
              .toList();
      assertThat(tested).isEqualTo(shipped);
    }
  }

  static Stream<String> withPrograms() {
    return PRINTS_42.keySet().stream()
        .filter(profile -> !profile.startsWith("docker-") || Backends.docker().isPresent());
  }

  @ParameterizedTest
  @MethodSource("withPrograms")
  void itsProgramsRun(String profile) {
    String id = platform.api().ready(profile).path("id").asText();
    Api.Dataplane inside = platform.api().access(id);
    Api.Reply run =
        inside.exec(Objects.requireNonNull(PRINTS_42.get(profile)).toArray(String[]::new));
    assertThat(run.status()).as(run.text()).isEqualTo(200);
    assertThat(run.field("/stdout")).as(run.text()).isEqualTo("42\n");
    assertThat(inside.exec("sh", "-c", "id -u; echo x > /usr/x").field("/stdout").strip())
        .as("not root")
        .isNotEqualTo("0");
    assertThat(inside.upload("file.txt", new byte[] {52, 50}).status()).isBetween(200, 204);
    assertThat(inside.download("file.txt").text()).isEqualTo("42");
    assertThat(platform.api().delete("/v1/sandboxes/" + id, "Prefer", "wait=30").status())
        .isEqualTo(200);
  }

  /** What has no program at all runs one that is brought along, and says so of others. */
  @ParameterizedTest(allowZeroInvocations = true)
  @MethodSource("staticProgram")
  void anImageWithoutAShellRunsWhatIsBrought(String profile)
      throws IOException, InterruptedException {
    String id = platform.api().ready(profile).path("id").asText();
    Api.Dataplane inside = platform.api().access(id);
    Api.Reply noShell = inside.exec("sh", "-c", "true");
    assertThat(noShell.status()).as(noShell.text()).isEqualTo(400);
    assertThat(noShell.text()).contains("sh");
    Path program = Platform.dist().resolve("boxd/linux-" + Host.architecture()).toAbsolutePath();
    Process tar =
        new ProcessBuilder("tar", "-C", program.toString(), "-c", "boxd")
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    byte[] archive = tar.getInputStream().readAllBytes();
    assertThat(tar.waitFor()).isZero();
    assertThat(inside.upload(".&extract=tar", archive).status()).isBetween(200, 204);
    Api.Reply run = inside.exec("/workspace/boxd", "version");
    assertThat(run.json().path("exit_code").asInt()).as(run.text()).isZero();
    assertThat(platform.api().delete("/v1/sandboxes/" + id, "Prefer", "wait=30").status())
        .isEqualTo(200);
  }

  static Stream<String> staticProgram() {
    return Backends.docker().stream().map(_ -> STATIC_PROGRAM);
  }
}
