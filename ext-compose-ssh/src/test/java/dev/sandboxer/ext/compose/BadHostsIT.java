package dev.sandboxer.ext.compose;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Inspection;
import dev.sandboxer.spi.InventoryQuery;
import dev.sandboxer.spi.Outcome;
import dev.sandboxer.spi.Probing;
import dev.sandboxer.spi.SandboxHandle;
import dev.sandboxer.spi.SandboxIdentity;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Machines that are not as they should be, and what is said of them. */
class BadHostsIT {

  private static final String FILE =
      "services: {app: {image: '%s', command: [sleep, '1000']}}".formatted(TestMachine.IMAGE);

  @TempDir private Path home;

  private Scene scene(Map<String, Object> settings, String... options) throws Exception {
    return new Scene(home.resolve("p"), Files.createDirectories(home), settings, options);
  }

  private static ExtensionException failure(Scene scene) {
    ExtensionException failure =
        catchThrowableOfType(
            ExtensionException.class, () -> scene.provision(scene.identity(), FILE));
    assertThat(failure).isNotNull();
    assertThat(failure.outcome()).as("%s", failure).isEqualTo(Outcome.NOTHING_CREATED);
    return failure;
  }

  /** The checks that failed, with what to do. */
  private static Map<String, String> wrong(Scene scene) {
    Probing.Probe probe = ((Probing) scene.extension).probe(scene.call().host(), scene.call());
    assertThat(probe.usable()).isFalse();
    Map<String, String> wrong = new TreeMap<>();
    for (Probing.Check check : probe.checks()) {
      if (!check.ok()) {
        wrong.put(check.name(), check.detail() + " -> " + check.remedy());
      }
    }
    return wrong;
  }

  private static void closeWithoutLook(Scene scene) {
    scene.extension.close();
    scene.machine.close();
  }

  @Test
  void aChangedHostKeyIsNeverTrusted() throws Exception {
    Scene scene = scene(Map.of());
    SandboxIdentity identity = scene.identity();
    SandboxHandle handle = scene.provision(identity, FILE);
    scene.machine.dropConnections();
    scene.machine.server.changeHostKey();
    try {
      ExtensionException failure = failure(scene);
      assertThat(failure.code()).isEqualTo(ErrorCode.AUTHORIZATION);
      assertThat(failure).hasMessageContaining("but the known one is SHA256:");
      assertThat(scene.extension.inspect(handle, scene.call()))
          .isInstanceOf(Inspection.Unknown.class);
      assertThat(wrong(scene)).containsOnlyKeys("ssh");
    } finally {
      scene.repin();
      scene.close();
    }
  }

  @Test
  void nobodyThere() throws Exception {
    Scene scene = scene(Map.of());
    scene.machine.server.stop();
    assertThat(failure(scene).code()).isEqualTo(ErrorCode.UNAVAILABLE);
    assertThat(
            catchThrowableOfType(
                    ExtensionException.class,
                    () ->
                        scene.extension.inventory(
                            new InventoryQuery(scene.call().host(), null), scene.call()))
                .code())
        .isEqualTo(ErrorCode.UNAVAILABLE);
    scene.machine.server.start();
    closeWithoutLook(scene);
  }

  @Test
  void aHostWithoutAPinnedKeyIsRefused() throws Exception {
    Scene scene = scene(Map.of("host_key", "none"));
    ExtensionException failure = failure(scene);
    assertThat(failure.code()).isEqualTo(ErrorCode.VALIDATION);
    assertThat(failure).hasMessageContaining("settings.host_key is missing", "ssh-keygen -lf");
    closeWithoutLook(scene);
  }

  @Test
  void noEngineAndNoCompose() throws Exception {
    Scene scene =
        scene(Map.of("docker_socket", "/tmp/no.sock", "compose", "docker no-such-plugin"));
    ExtensionException failure = failure(scene);
    assertThat(failure.code()).isEqualTo(ErrorCode.UNAVAILABLE);
    assertThat(failure).hasMessageContaining("the Docker Engine of", "/tmp/no.sock");
    assertThat(wrong(scene)).containsKeys("engine", "compose", "limits", "streams");
    closeWithoutLook(scene);
  }

  @Test
  void noComposeAlone() throws Exception {
    Scene scene = scene(Map.of("compose", "docker no-such-plugin"));
    ExtensionException failure = failure(scene);
    assertThat(failure.code()).isEqualTo(ErrorCode.UNAVAILABLE);
    assertThat(failure).hasMessageContaining("has no Docker Compose as 'docker no-such-plugin'");
    assertThat(wrong(scene)).containsOnlyKeys("compose");
    scene.close();
  }

  @Test
  void aServerThatForwardsNothing() throws Exception {
    Scene scene = scene(Map.of(), "AllowStreamLocalForwarding no");
    assertThat(wrong(scene)).containsOnlyKeys("streams");
    assertThat(wrong(scene).get("streams")).contains("AllowStreamLocalForwarding yes");
    scene.close();
  }

  @Test
  void aFolderThatIsReachedByALink() throws Exception {
    Path elsewhere = Files.createDirectories(home.resolve("elsewhere"));
    Path link = Files.createTempDirectory(Path.of("/tmp"), "sbxl").resolve("r");
    Files.createSymbolicLink(link, elsewhere);
    Scene scene = scene(Map.of("remote_dir", link.toString()));
    ExtensionException failure = failure(scene);
    assertThat(failure.code()).isEqualTo(ErrorCode.VALIDATION);
    assertThat(failure).hasMessageContaining("is reached by a link");
    assertThat(wrong(scene)).containsOnlyKeys("folder");
    assertThat(elsewhere).isEmptyDirectory();
    closeWithoutLook(scene);
  }

  /** The user's own variables and start-up files are not the project's. */
  @Test
  void theMachinesEnvironmentIsNotSeen() throws Exception {
    // sshd takes one such line, so that the user's home and the plug-in in it are missing.
    Scene scene = scene(Map.of("compose", "docker-compose"), "SetEnv ANSWER=of-the-machine");
    ExtensionException failure =
        catchThrowableOfType(
            ExtensionException.class,
            () ->
                scene.provision(
                    scene.identity(), FILE.replace("sleep", "'${ANSWER:?is not given}'")));
    assertThat(failure).hasMessageContaining("is not given");
    scene.close();
  }

  @Test
  void manySandboxesShareAConnection() throws Exception {
    Scene scene = scene(Map.of());
    for (int i = 0; i < 3; i++) {
      scene.extension.waitReady(scene.provision(scene.identity(), FILE), scene.call());
    }
    assertThat(List.of(scene.machine.server.logins())).containsExactly(1L);
    scene.close();
  }
}
