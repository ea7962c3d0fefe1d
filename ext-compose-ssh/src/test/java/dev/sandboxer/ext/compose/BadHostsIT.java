package dev.sandboxer.ext.compose;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sandboxer.spi.Archive;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Inspection;
import dev.sandboxer.spi.InventoryQuery;
import dev.sandboxer.spi.Outcome;
import dev.sandboxer.spi.Probing;
import dev.sandboxer.spi.SandboxHandle;
import dev.sandboxer.spi.SandboxIdentity;
import dev.sandboxer.spi.TeardownTarget;
import dev.sandboxer.spi.secret.SecretFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Machines that are not as they should be, and what is said of them. */
class BadHostsIT {

  private static final String FILE =
      "services: {app: {image: '%s', command: [sleep, '1000']}}".formatted(TestMachine.IMAGE);

  @TempDir private Path home;

  private Scene scene(Map<String, Object> settings, String... options) throws Exception {
    return new Scene(home.resolve("p"), settings, options);
  }

  private Scene scene(TestMachine machine) throws Exception {
    return new Scene(home.resolve("p"), machine, Map.of());
  }

  private static ExtensionException failure(Scene scene) {
    return failure(scene, FILE);
  }

  private static ExtensionException failure(Scene scene, String file) {
    ExtensionException failure =
        catchThrowableOfType(
            ExtensionException.class, () -> scene.provision(scene.identity(), file));
    assertThat(failure).isNotNull();
    assertThat(failure.outcome()).as("%s", failure).isEqualTo(Outcome.NOTHING_CREATED);
    return failure;
  }

  /** The checks that failed, with what to do. */
  private static Map<String, String> wrong(Scene scene) {
    Probing.Probe probe = ((Probing) scene.extension).probe(scene.call().host(), scene.call());
    Map<String, String> wrong = new TreeMap<>();
    for (Probing.Check check : probe.checks()) {
      if (!check.ok()) {
        wrong.put(check.name(), check.detail() + " -> " + check.remedy());
      }
    }
    assertThat(probe.usable()).isEqualTo(wrong.isEmpty());
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
  void aHostWithoutAPinnedKeyIsRefusedAndItsKeyIsShown() throws Exception {
    Scene scene = scene(Map.of("host_key", List.of()));
    ExtensionException failure = failure(scene);
    assertThat(failure.code()).isEqualTo(ErrorCode.AUTHORIZATION);
    String key = scene.machine.server.fingerprint();
    assertThat(failure).hasMessageContaining("ssh-ed25519 key " + key + ", which is not known");
    assertThat(wrong(scene)).containsOnlyKeys("host_key");
    assertThat(wrong(scene).get("host_key")).contains(key, "settings.host_key");
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

  /** Nothing of it needs root there but the Engine, which he may use. */
  @Test
  void anOrdinaryUserOfTheEngine() throws Exception {
    assumeRoot();
    Scene scene = scene(TestMachine.ofOrdinaryUser(true));
    assertThat(wrong(scene)).isEmpty();
    SandboxIdentity identity = scene.identity();
    String data =
        FILE.replace("sleep, '1000'", "sh, -c, 'echo 1 >/data/x; echo started; sleep 1000'");
    String file =
        data.replace("]}}", "], volumes: ['data:/data', './:/p:ro'], secrets: [KEY]}}")
            + "\nvolumes: {data: {}}\nsecrets: {KEY: {external: true}}";
    SandboxHandle handle =
        scene.extension.provision(
            scene
                .request(identity, Map.of("service", "app", "files", Map.of("compose.yaml", file)))
                .withSecretFiles(List.of(new SecretFile("KEY", "value".getBytes(UTF_8)))),
            scene.call());
    assertThat(scene.extension.waitReady(handle, scene.call()).dataplane()).isNotNull();
    assertThat(scene.extension.inspect(handle, scene.call()))
        .isInstanceOf(Inspection.Running.class);
    assertThat(scene.in(identity, "app", "cat /run/secrets/KEY")).isEqualTo("value");
    assertThat(scene.in(identity, "sandboxer", "cat /.sandboxer/logs/app")).isEqualTo("started");
    assertThat(
            scene.extension.teardown(new TeardownTarget.ByIdentity(identity), scene.call()).clean())
        .isTrue();
    assertThat(scene.inventory()).isEmpty();
    assertThat(failure(scene, FILE.replace("]}}", "], volumes: ['./:/p']}}")))
        .hasMessageContaining("could not be removed by the user who logs in");
    scene.close();
  }

  @Test
  void anOrdinaryUserWhoMayNotUseTheEngine() throws Exception {
    assumeRoot();
    Scene scene = scene(TestMachine.ofOrdinaryUser(false));
    ExtensionException failure = failure(scene);
    assertThat(failure.code()).isEqualTo(ErrorCode.AUTHORIZATION);
    assertThat(failure).hasMessageContaining("the user needs the group docker");
    assertThat(wrong(scene)).containsKeys("engine", "streams");
    assertThat(wrong(scene).get("engine")).contains("put the user into its group");
    closeWithoutLook(scene);
  }

  /** Too small for boxd, then for the project alone. */
  @ParameterizedTest
  @ValueSource(ints = {4, 14})
  void aDiskThatIsFull(int mib) throws Exception {
    assumeRoot();
    Archive project =
        new TestTar().file("compose.yaml", FILE).file("large", "x".repeat(8 << 20)).plain();
    Scene scene = scene(TestMachine.ofSmallDisk(mib));
    ExtensionException failure =
        catchThrowableOfType(
            ExtensionException.class,
            () ->
                scene.extension.provision(scene.archived(scene.identity(), project), scene.call()));
    assertThat(failure).isNotNull();
    assertThat(failure.code()).as("%s", failure).isEqualTo(ErrorCode.CAPACITY);
    assertThat(failure).hasMessageContaining(" MiB are free");
    assertThat(wrong(scene)).containsOnlyKeys("disk");
    scene.close();
  }

  /** boxd judges the validity of tokens by that clock. */
  @Test
  void aClockThatIsADayOff() throws Exception {
    Path programs = Files.createDirectories(home.resolve("bin"));
    Path date = programs.resolve("date");
    Files.writeString(date, "#!/bin/sh\nexec /bin/date -d tomorrow \"$@\"\n");
    Files.setPosixFilePermissions(date, PosixFilePermissions.fromString("rwxr-xr-x"));
    Scene scene = scene(Map.of("path", programs + ":" + System.getenv("PATH")));
    assertThat(wrong(scene)).containsOnlyKeys("clock");
    assertThat(wrong(scene).get("clock")).contains("86400 s ahead", "NTP");
    scene.close();
  }

  private static void assumeRoot() {
    assumeTrue("root".equals(System.getProperty("user.name")), "only root has users and mounts");
  }
}
