package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandboxer.testing.client.Api;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What fails because of the profile says which of its keys would change that. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ProfileKeyTest {

  private static final String PROFILE =
      """
      id: profile.%s
      version: 1
      extension: ext.nsjail
      isolation: {level: %s}
      resources: {memory: 256Mi, pids: 24, workspace: 2Mi, tmp: 1Mi, open_files: 64}
      best_effort: [uid, cpus, memory, pids]
      """;

  private Platform platform;
  private Cli cli;

  @BeforeAll
  void start() throws IOException {
    platform = Platform.start(Map.of());
    Path profiles = Files.createDirectories(platform.home().resolve("profiles"));
    Files.writeString(profiles.resolve("tight.yaml"), PROFILE.formatted("tight", "process"));
    Files.writeString(profiles.resolve("boxed.yaml"), PROFILE.formatted("boxed", "container"));
    platform.kill();
    platform.restart(Map.of());
    cli = new Cli(platform);
  }

  @AfterAll
  void stop() {
    platform.close();
  }

  @Test
  void whatTheBackendCanNotDoIsRefusedBeforeAnythingIsMade() {
    Api.Reply refused = platform.api().post("/v1/sandboxes", Api.create("boxed"));
    assertThat(refused.status()).as(refused.text()).isEqualTo(422);
    assertThat(refused.code()).isEqualTo("NO_CANDIDATE");
    assertThat(refused.field("/profile_key")).isEqualTo("isolation.level");
    assertThat(refused.field("/detail"))
        .contains(
            "isolation.level: it is container and ext.nsjail offers process", "profile.boxed");
    assertThat(platform.api().get("/v1/sandboxes?profile=boxed").json().path("items")).isEmpty();
    Cli.Result json = cli.run("create", "--profile", "boxed", "--json");
    assertThat(json.code()).isEqualTo(125);
    assertThat(json.json().at("/error/profile_key").asText()).isEqualTo("isolation.level");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "network.mode|python3 -c 'import socket; socket.create_connection((\"a.example\", 80))'",
        "mounts|echo x > /usr/bin/new",
        "resources.workspace|head -c 4m /dev/zero > big",
        "resources.tmp|head -c 4m /dev/zero > /tmp/big",
        "resources.open_files|python3 -c 'f=[open(\"/dev/null\") for i in range(100)]'",
        "resources.memory|kill -KILL $$",
      })
  void aCommandThatTheProfileStopsGetsAHint(String key, String command) {
    Cli.Result run = cli.run("run", "--profile", "tight", "--", "sh", "-c", command);
    assertThat(run.code()).as(run.err()).isNotZero();
    assertThat(run.err()).containsOnlyOnce("hint: ").contains(key);
    assertThat(run.err().strip().lines().toList().getLast()).contains("destroyed");
  }

  @Test
  void aFileThatDoesNotFitIsToldByTheSandboxItself() {
    String id =
        platform.api().post("/v1/sandboxes", Api.create("tight"), "Prefer", "wait=60").field("/id");
    Api.Reply full = platform.api().access(id).upload("big", new byte[4 << 20]);
    assertThat(full.status()).as(full.text()).isEqualTo(507);
    assertThat(full.field("/detail")).contains("resources.workspace", "resources.tmp");
  }
}
