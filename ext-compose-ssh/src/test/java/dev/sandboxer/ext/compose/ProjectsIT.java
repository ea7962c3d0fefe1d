package dev.sandboxer.ext.compose;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.sandboxer.spi.Archive;
import dev.sandboxer.spi.CleanupReport;
import dev.sandboxer.spi.CleanupReport.Leftover;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Inspection;
import dev.sandboxer.spi.Outcome;
import dev.sandboxer.spi.Progress;
import dev.sandboxer.spi.ProvisionRequest;
import dev.sandboxer.spi.Reachability;
import dev.sandboxer.spi.SandboxHandle;
import dev.sandboxer.spi.SandboxIdentity;
import dev.sandboxer.spi.TeardownTarget;
import dev.sandboxer.spi.secret.SecretFile;
import dev.sandboxer.testing.PatientCall;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Projects that come up, that do not, and what becomes of them. */
class ProjectsIT {

  private static final String HEALTH =
      "    healthcheck: {test: [CMD, test, -e, /ok], interval: 100ms, retries: 3}\n";

  @TempDir private Path home;
  private Scene scene;
  private SandboxIdentity identity;

  @BeforeEach
  void start() throws Exception {
    scene = new Scene(home.resolve("p"), Map.of());
    identity = scene.identity();
  }

  @AfterEach
  void stop() throws Exception {
    scene.close();
  }

  private static String service(String name, String command, String... more) {
    return "  %s:\n    image: %s\n    command: %s\n%s"
        .formatted(name, TestMachine.IMAGE, command, String.join("", more));
  }

  private static String file(String... services) {
    return "services:\n" + String.join("", services);
  }

  private String container(String service) {
    return scene.container(identity, service);
  }

  private String in(String service, String script) {
    return scene.in(identity, service, script);
  }

  private ExtensionException failure(String file) {
    ExtensionException failure =
        catchThrowableOfType(
            ExtensionException.class,
            () -> scene.extension.waitReady(scene.provision(identity, file), scene.call()));
    assertThat(failure).as("it came up").isNotNull();
    assertThat(failure.outcome()).as("%s", failure).isInstanceOf(Outcome.Created.class);
    return failure;
  }

  private CleanupReport teardown() throws ExtensionException {
    return scene.extension.teardown(new TeardownTarget.ByIdentity(identity), scene.call());
  }

  /** Where the sandboxes' folders are. */
  private Path base() {
    return scene.machine.remoteFolder().resolve(scene.platform.installation().substring(0, 8));
  }

  /** Nothing that the Engine has carries the project's name. */
  private void assertNothingLeft() {
    String label = "label=com.docker.compose.project=" + container("").replaceFirst("--1$", "");
    assertThat(TestMachine.docker("ps", "-aq", "--filter", label)).isEmpty();
    assertThat(TestMachine.docker("network", "ls", "-q", "--filter", label)).isEmpty();
    assertThat(TestMachine.docker("volume", "ls", "-q", "--filter", label)).isEmpty();
    assertThat(
            TestMachine.docker(
                "images", "-aq", "--filter", "label=dev.sandboxer.name=" + identity.name()))
        .isEmpty();
    assertThat(TestMachine.docker("network", "ls")).doesNotContain(identity.name());
    assertThat(TestMachine.docker("volume", "ls")).doesNotContain(identity.name());
    assertThat(base()).isDirectoryNotContaining("glob:**/*" + identity.name() + "*");
  }

  @Test
  void servicesSeeEachOtherAndNothingElse() throws Exception {
    String web = service("web", "httpd -f -p 8080 -h /etc");
    String app =
        service("app", "sleep 1000", "    volumes: ['data:/data', './files:/files']\n")
            + "volumes: {data: {}}\nx-ours: {any: thing}\n";
    Archive project =
        new TestTar()
            .folder("./")
            .folder("./files/")
            .file("./files/one", "1")
            .file("./compose.yaml", file(web, app))
            .packed();
    SandboxHandle handle =
        scene.extension.provision(scene.archived(identity, project), scene.call());
    PatientCall call = scene.call();
    Reachability reached = scene.extension.waitReady(handle, call);
    assertThat(reached.descriptors())
        .containsEntry("ssh", scene.machine.address().replace("ssh://", ""))
        .containsEntry(
            "remote_dir",
            scene.machine.remoteFolder()
                + "/"
                + identity.installation().substring(0, 8)
                + "/"
                + identity.name()
                + "/project");
    assertThat(call.steps().toString()).contains("service=web", "service=app");
    assertThat(in("sandboxer", "wget -qO- http://web:8080/hostname; ip -o addr")).contains("eth0");
    assertThat(in("sandboxer", "cat /files/one; echo 2 >/data/two; cat /data/two; touch /x 2>&1"))
        .isEqualTo("12\ntouch: /x: Read-only file system");
    // Neither the machine, by its address in the network, nor names of the outside.
    String gateway = in("app", "ip route | sed -n 's/default via \\([0-9.]*\\).*/\\1/p'");
    assertThat(in("app", "ping -c 1 -W 1 " + gateway + " || echo nobody")).contains("nobody");
    assertThat(in("app", "nslookup example.com >/dev/null 2>&1 || echo unknown; ip -6 addr"))
        .contains("unknown")
        .doesNotContain("scope link", "scope global");
    assertThat(in("app", "grep -i capbnd /proc/self/status; grep NoNew /proc/self/status"))
        .contains("NoNewPrivs:\t1")
        .doesNotContain("a80425fb");
    assertThat(in("sandboxer", "grep -i capbnd /proc/self/status")).contains("0000000000000000");

    TestMachine.docker("stop", "-t", "0", container("web"));
    assertThat(scene.extension.inspect(handle, scene.call()))
        .isInstanceOf(Inspection.Running.class);
    assertThat(scene.extension.waitReady(handle, scene.call()).dataplane())
        .as("the same way as before")
        .isEqualTo(reached.dataplane());
    assertThat(teardown().clean()).isTrue();
    assertNothingLeft();
  }

  @Test
  void aServiceThatFailsIsNamedWithItsLastWords() throws Exception {
    ExtensionException failure =
        failure(file(service("app", "sleep 1000"), service("db", "sh -c 'echo no disk; exit 7'")));
    assertThat(failure.code()).isEqualTo(ErrorCode.CRASH);
    assertThat(failure).hasMessageContaining("service db ended with code 7: no disk");
    assertThat(teardown().clean()).isTrue();
    assertNothingLeft();
  }

  @Test
  void aServiceOfWhichAnotherWaitsAndThatIsNotHealthy() {
    String app =
        service("app", "sleep 1000", "    depends_on: {db: {condition: service_healthy}}\n");
    ExtensionException failure =
        failure(file(app, service("db", "sh -c 'echo waiting; sleep 1000'", HEALTH)));
    assertThat(failure.code()).isEqualTo(ErrorCode.TIMEOUT);
    assertThat(failure).hasMessageContaining("service db is not healthy: waiting");
  }

  @Test
  void aServiceThatIsNotHealthy() {
    ExtensionException failure =
        failure(file(service("app", "sleep 1000"), service("db", "sleep 1000", HEALTH)));
    assertThat(failure.code()).isEqualTo(ErrorCode.TIMEOUT);
    assertThat(failure).hasMessageContaining("service db is not healthy, and wrote nothing");
  }

  private Map<String, Object> options(String file, String name, Object value) {
    return Map.of("service", "app", "files", Map.of("compose.yaml", file), name, value);
  }

  @Test
  void isReadyOnceAllProbesHavePassed() throws Exception {
    String web = "sh -c 'mkdir /www; httpd -p 8080 -h /www; sleep 1000'";
    String file =
        file(
            service("app", "sh -c 'httpd -p 127.0.0.1:9000; sleep 1000'"),
            "  web: {image: %s, command: %s}\n".formatted(TestMachine.IMAGE, web));
    List<Object> probes =
        List.of(
            Map.of("service", "web", "http", Map.of("port", 8080L, "path", "/up?x=1")),
            Map.of("service", "web", "command", List.of("test", "-e", "/www/data")),
            Map.of("service", "app", "tcp", 9000L));
    SandboxHandle handle = scene.provision(identity, options(file, "ready", probes));
    PatientCall call = scene.call();
    CompletableFuture<Void> later =
        CompletableFuture.runAsync(
            () -> {
              await().until(() -> call.steps().toString().contains("state=404 Not Found"));
              in("web", "touch /www/up");
              await().until(() -> call.steps().toString().contains("state=passed"));
              in("web", "touch /www/data");
            });
    scene.extension.waitReady(handle, call);
    later.join();
    assertThat(call.steps().stream().filter(step -> "passed".equals(step.detail().get("state"))))
        .extracting(step -> step.detail().get("service") + " " + step.detail().get("probe"))
        .containsExactly("web http :8080/up?x=1", "web command test -e /www/data", "app tcp :9000");
  }

  @Test
  void aProbeThatDoesNotPassIsNamedWithItsAnswerAndTheLog() throws Exception {
    String file = file(service("app", "sleep 1000"), service("db", "sh -c 'echo no; sleep 1000'"));
    Map<String, Object> probe = Map.of("service", "db", "tcp", 5432L, "timeout", "1s");
    SandboxHandle handle = scene.provision(identity, options(file, "ready", List.of(probe)));
    ExtensionException failure =
        catchThrowableOfType(
            ExtensionException.class, () -> scene.extension.waitReady(handle, scene.call()));
    assertThat(failure.code()).isEqualTo(ErrorCode.TIMEOUT);
    assertThat(failure.outcome()).isInstanceOf(Outcome.Created.class);
    assertThat(failure)
        .hasMessageContaining("service db is not ready: tcp :5432 did not pass within")
        .hasMessageContaining("connection refused): no");
  }

  @Test
  void boxdTakesThePlaceOfAServiceThatOnlyRunsCommands() throws Exception {
    String app =
        service(
            "app",
            "touch /data/ran",
            "    user: '1000'\n    environment: {MODE: test}\n    networks: {inner: {aliases: [runner]}}\n",
            "    volumes: ['data:/data', './files:/files']\n",
            "    depends_on: {init: {condition: service_completed_successfully}}\n");
    String init = service("init", "touch /data/init", "    volumes: ['data:/data']\n");
    String web = service("web", "httpd -f -p 8080 -h /etc", "    networks: [inner]\n");
    String file = file(app, init, web) + "volumes: {data: {}}\nnetworks: {inner: {}}\n";
    SandboxHandle handle =
        scene.provision(
            identity,
            Map.of(
                "service",
                "app",
                "attach",
                "replace",
                "files",
                Map.of("compose.yaml", file, "files/one", "1")));
    scene.extension.waitReady(handle, scene.call());
    assertThat(
            TestMachine.docker(
                "ps", "-a", "--format", "{{.Names}}", "--filter", "name=" + identity.name()))
        .contains(container("sandboxer"), container("web"), container("init"))
        .doesNotContain(container("app"));
    assertThat(in("sandboxer", "id -u; echo $MODE; cat /files/one; ls /data"))
        .isEqualTo("1000\ntest\n1init");
    assertThat(in("sandboxer", "wget -qO- http://web:8080/hostname && touch /x 2>&1"))
        .contains("Read-only");
    assertThat(in("web", "nslookup app && nslookup runner")).contains("app", "runner");
    assertThat(in("sandboxer", "nslookup example.com >/dev/null 2>&1 || echo unknown"))
        .isEqualTo("unknown");
    assertThat(teardown().clean()).isTrue();
    assertNothingLeft();
  }

  @Test
  void servicesReadTheProfilesSecretsAndNothingElseHasThem() throws Exception {
    String secret = "not-to-be-seen";
    String app = service("app", "sleep 1000", "    secrets: [token]\n");
    String db =
        service(
            "db", "sleep 1000", "    user: '1000'\n    secrets: [{source: token, target: key}]\n");
    String file = file(app, db) + "secrets: {token: {external: true, name: API}}\n";
    ProvisionRequest request =
        scene
            .request(identity, Map.of("service", "app", "files", Map.of("compose.yaml", file)))
            .withSecretFiles(
                List.of(
                    new SecretFile("API", secret.getBytes(StandardCharsets.UTF_8)),
                    new SecretFile("UNUSED", secret.getBytes(StandardCharsets.UTF_8))));
    scene.extension.waitReady(scene.extension.provision(request, scene.call()), scene.call());
    assertThat(in("app", "cat /run/secrets/token")).isEqualTo(secret);
    assertThat(in("db", "cat /run/secrets/key; touch /run/secrets/key 2>&1"))
        .startsWith(secret + "touch: ");
    Path memory = Path.of("/dev/shm", container("").replaceFirst("--1$", ""));
    assertThat(memory)
        .isDirectoryContaining("glob:**API")
        .isDirectoryNotContaining("glob:**UNUSED");
    assertThat(
            TestMachine.docker(
                "inspect", container("app"), container("db"), container("sandboxer")))
        .doesNotContain(secret);
    try (Stream<Path> files = Files.walk(scene.machine.remoteFolder())) {
      assertThat(files.filter(one -> Files.isRegularFile(one) && !one.toString().contains("boxd-")))
          .isNotEmpty()
          .allSatisfy(one -> assertThat(Files.readAllBytes(one)).asString().doesNotContain(secret));
    }
    assertThat(teardown().clean()).isTrue();
    assertNothingLeft();
    assertThat(memory).doesNotExist();
  }

  @Test
  void imagesAreBuiltAndGoWithTheSandbox() throws Exception {
    String compose =
        """
        services:
          app:
            image: shop
            build: {context: app, dockerfile: ../Main, target: run, args: {SAID: "${SAID}", BASE: busybox}}
            command: sleep 1000
          other: {image: shop, command: sleep 1000}
        """;
    String main =
        """
        # syntax=example.invalid/frontend
        ARG BASE=missing
        FROM --platform=$BUILDPLATFORM sandboxer-test/${BASE} AS Make
        ARG SAID
        LABEL dev.sandboxer.signature=forged dev.sandboxer.name=x
        COPY . /in/
        RUN (echo "$SAID"; cat /in/a; ls /in; ls /sys/class/net; \\
            # the limit, by either kind of control groups

            cat /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory/memory.limit_in_bytes) >/made 2>/dev/null; true
        FROM sandboxer-test/missing AS unused
        RUN false
        from sandboxer-test/busybox:latest as run
        COPY --from=make /made /first
        COPY --from=0 /made /second
        COPY --from=sandboxer-test/tools /etc/debian_version /third
        FROM unused
        """;
    Archive project =
        new TestTar()
            .file("compose.yaml", compose)
            .file("Main", main)
            .file("app/a", "of the context\n")
            .file("app/b", "")
            .file("app/.dockerignore", "b\n")
            .packed();
    ProvisionRequest request =
        scene
            .request(
                identity,
                Map.of(
                    "service",
                    "app",
                    "project",
                    "sha256:" + "0".repeat(64),
                    "env",
                    Map.of("SAID", "$HOME x")))
            .withArchives(Map.of("project", project));
    PatientCall call = scene.call();
    SandboxHandle handle = scene.extension.provision(request, call);
    scene.extension.waitReady(handle, scene.call());
    assertThat(call.steps()).contains(new Progress("build", Map.of("service", "app")));
    assertThat(in("app", "cat /first; ls /"))
        .startsWith("$HOME x\nof the context\na\nlo\n268435456\n")
        .contains("second", "third");
    assertThat(in("sandboxer", "cat /second; cat /third")).contains("of the context");
    assertThat(in("other", "cat /second")).contains("of the context");
    assertThat(TestMachine.docker("images", "shop")).doesNotContain("shop");
    assertThat(teardown().clean()).isTrue();
    assertNothingLeft();
  }

  private Map<String, Object> built(String dockerfile) {
    return Map.of(
        "service",
        "app",
        "files",
        Map.of(
            "compose.yaml",
            "services: {app: {build: ., command: sleep 1000}}\n",
            "Dockerfile",
            "FROM sandboxer-test/busybox:latest\n" + dockerfile));
  }

  private ExtensionException unbuilt(Map<String, Object> options) {
    ExtensionException failure =
        catchThrowableOfType(
            ExtensionException.class, () -> scene.provision(identity, new HashMap<>(options)));
    assertThat(failure).as("it was built").isNotNull();
    assertThat(failure.outcome()).as("%s", failure).isInstanceOf(Outcome.Created.class);
    return failure;
  }

  @Test
  void aBuildThatFailsIsNamedWithItsLastWords() throws Exception {
    ExtensionException failure =
        unbuilt(built("RUN echo before\nRUN echo no compiler >&2; exit 7\n"));
    assertThat(failure.code()).isEqualTo(ErrorCode.CRASH);
    assertThat(failure)
        .hasMessageContaining("service app was not built: ")
        .hasMessageContaining("\nno compiler\n")
        .hasMessageEndingWith("returned a non-zero code: 7");
    // Layers alone are known as well.
    Path folder = base();
    Files.move(folder, folder.resolveSibling("away"));
    assertThat(scene.inventory()).hasSize(1);
    assertThat(teardown().removed()).isNotEmpty().allMatch(uid -> uid.startsWith("image:"));
    assertThat(scene.inventory()).isEmpty();
    Files.move(folder.resolveSibling("away"), folder);
    assertThat(teardown().clean()).isTrue();
    assertNothingLeft();
  }

  @Test
  void anImageThatSomebodyGaveANameIsLeftAlone() throws Exception {
    scene.provision(identity, new HashMap<>(built("")));
    String image = TestMachine.docker("inspect", "-f", "{{.Image}}", container("app"));
    String name = "sandboxer-test/" + identity.publicId();
    TestMachine.docker("tag", image, name);
    assertThat(teardown().foreign())
        .extracting(Leftover::providerUid)
        .containsExactly("image:" + image);
    assertThat(TestMachine.docker("image", "rm", name)).contains("Deleted: " + image);
    assertNothingLeft();
  }

  @Test
  void aBuildThatNeedsTooMuchMemory() {
    ExtensionException failure = unbuilt(built("RUN exec tail -c 600m /dev/zero\n"));
    assertThat(failure.code()).as("%s", failure).isEqualTo(ErrorCode.OOM);
  }

  @Test
  void imagesThatABuildCannotBeginWith() {
    ExtensionException failure = unbuilt(built("FROM sandboxer-test/missing\n"));
    assertThat(failure.code()).as("%s", failure).isEqualTo(ErrorCode.IMAGE_PULL);
    assertThat(failure).hasMessageContaining("sandboxer-test/missing:latest");
    String container = TestMachine.docker("create", "--network", "none", TestMachine.IMAGE, "sh");
    String image = "sandboxer-test/" + identity.publicId();
    TestMachine.docker("commit", "--change", "ONBUILD RUN true", container, image);
    try {
      failure = unbuilt(built("FROM " + image + "\n"));
      assertThat(failure.code()).as("%s", failure).isEqualTo(ErrorCode.VALIDATION);
      assertThat(failure).hasMessageContaining("has ONBUILD: RUN true");
    } finally {
      TestMachine.docker("rm", container);
      TestMachine.docker("image", "rm", image);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aBuildThatIsCutOffLeavesNothingAfterItsTeardown(boolean frozen) throws Exception {
    String label = "label=dev.sandboxer.name=" + identity.name();
    loseConnection(
        frozen,
        () -> TestMachine.docker("ps", "--filter", label).contains("sleep"),
        () ->
            scene.provision(identity, new HashMap<>(built("RUN echo 1 >/one\nRUN sleep 1000\n"))));
    String step = TestMachine.docker("ps", "-q", "--filter", label);
    assertThat(step).as("it goes on").isNotEmpty();
    assertThat(
            TestMachine.docker(
                "inspect",
                "-f",
                "{{with .HostConfig}}{{.NetworkMode}} {{.Memory}} {{.MemorySwap}} {{.CpuQuota}}{{end}}",
                step))
        .isEqualTo("none 268435456 268435456 100000");
    assertThat(scene.inventory()).hasSize(1);
    assertThat(teardown().clean()).isTrue();
    assertNothingLeft();
    assertNoProcessLeft();
  }

  @Test
  void aServiceThatIsDoneIsNoFailure() throws Exception {
    String app =
        service(
            "app",
            "sleep 1000",
            "    depends_on: {init: {condition: service_completed_successfully}}\n");
    SandboxHandle handle =
        scene.provision(
            identity, file(app, service("init", "/bin/true"), service("other", "/bin/true")));
    scene.extension.waitReady(handle, scene.call());
  }

  @Test
  void animageThatIsMissing() {
    ExtensionException failure =
        failure(file(service("app", "sleep 1000"), "  db: {image: 'sandboxer-test/missing:1'}\n"));
    assertThat(failure.code()).as("%s", failure).isEqualTo(ErrorCode.IMAGE_PULL);
  }

  @Test
  void aProgramThatIsMissing() {
    ExtensionException failure =
        failure(file(service("app", "sleep 1000"), service("db", "/no/such/program")));
    assertThat(failure.code()).as("%s", failure).isEqualTo(ErrorCode.CRASH);
    assertThat(failure).hasMessageContaining("/no/such/program");
  }

  @Test
  void isGoneWithoutComposeAndWithoutItsFolder() throws Exception {
    scene.provision(identity, file(service("app", "sleep 1000")));
    Path folder = base();
    Files.move(folder, folder.resolveSibling("away"));
    assertThat(scene.inventory()).hasSize(1);
    assertThat(teardown().clean()).isTrue();
    assertThat(TestMachine.docker("ps", "-aq", "--filter", "name=" + identity.name())).isEmpty();
    Files.move(folder.resolveSibling("away"), folder);
    assertThat(scene.inventory()).as("the folder alone").hasSize(1);
    assertThat(teardown().removed()).containsExactly("folder:" + identity.name());
    assertNothingLeft();
  }

  @Test
  void strangersInItsProjectAreLeftAlone() throws Exception {
    scene.provision(identity, file(service("app", "sleep 1000")));
    String project = container("").replaceFirst("--1$", "");
    String stranger =
        TestMachine.docker(
            "run",
            "-d",
            "--network",
            "none",
            "--name",
            project + "-other-1",
            "--label",
            "com.docker.compose.project=" + project,
            "--label",
            "dev.sandboxer.installation=" + identity.installation(),
            "--label",
            "dev.sandboxer.name=" + identity.name(),
            "--label",
            "dev.sandboxer.signature=00",
            TestMachine.IMAGE,
            "sleep",
            "1000");
    try {
      CleanupReport report = teardown();
      assertThat(report.clean()).isTrue();
      assertThat(report.foreign())
          .singleElement()
          .satisfies(left -> assertThat(left.providerUid()).isEqualTo(stranger));
      assertThat(TestMachine.docker("inspect", "-f", "{{.State.Running}}", stranger))
          .isEqualTo("true");
      assertThat(
              catchThrowableOfType(
                  ExtensionException.class,
                  () -> scene.provision(identity, file(service("app", "sleep 1000")))))
          .hasMessageContaining("is taken by what this installation has not signed");
    } finally {
      TestMachine.docker("rm", "-f", stranger);
    }
  }

  @Test
  void logsOfOtherServicesAreReadInside() throws Exception {
    String web = "sh -c 'echo begun; until [ -e /go ]; do sleep 0.1; done; echo gone >&2'";
    scene.provision(identity, file(service("app", "sleep 1000"), service("web", web)));
    assertThat(in("sandboxer", "ls /.sandboxer/logs")).isEqualTo("app\nweb");
    for (int i = 0; i < 3; i++) {
      assertThat(in("sandboxer", "cat /.sandboxer/logs/web")).isEqualTo("begun");
    }
    in("web", "touch /go");
    await().until(() -> in("sandboxer", "cat /.sandboxer/logs/web").equals("begun\ngone"));
    assertThat(teardown().clean()).isTrue();
    assertNothingLeft();
    assertNoProcessLeft();
  }

  private void assertNoProcessLeft() {
    await()
        .atMost(Duration.ofMinutes(1))
        .until(
            () ->
                ProcessHandle.allProcesses()
                    .noneMatch(
                        one -> one.info().commandLine().orElse("").contains(identity.name())));
  }

  /** Also while no platform is there. */
  @Test
  void servicesEndWithBoxd() throws Exception {
    scene.provision(identity, file(service("app", "sleep 1000"), service("db", "sleep 1000")));
    TestMachine.docker("kill", container("sandboxer"));
    await()
        .atMost(Duration.ofMinutes(1))
        .until(
            () -> TestMachine.docker("ps", "-q", "--filter", "name=" + identity.name()).isEmpty());
  }

  /** The connection ends, or nobody answers, in the middle: the teardown ends what went on. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aLostConnectionLeavesNothingAfterItsTeardown(boolean frozen) throws Exception {
    String app =
        service("app", "sleep 1000", "    depends_on: {db: {condition: service_healthy}}\n");
    String slow = HEALTH.replace("retries: 3", "retries: 1000");
    loseConnection(
        frozen,
        () -> !TestMachine.docker("ps", "-q", "--filter", "name=" + container("db")).isEmpty(),
        () -> scene.provision(identity, file(app, service("db", "sleep 1000", slow))));
    assertThat(teardown().clean()).isTrue();
    assertNothingLeft();
    assertNoProcessLeft();
  }

  /** Loses the connection as soon as the call has come as far. */
  private void loseConnection(boolean frozen, Callable<Boolean> reached, ThrowingCallable call) {
    CompletableFuture<Void> lost =
        CompletableFuture.runAsync(
            () -> {
              await().atMost(Duration.ofMinutes(1)).until(reached);
              if (frozen) {
                scene.machine.freezeConnections();
              } else {
                scene.machine.dropConnections();
              }
            });
    ExtensionException failure = catchThrowableOfType(ExtensionException.class, call);
    lost.join();
    assertThat(failure).isNotNull();
    assertThat(failure.code()).as("%s", failure).isEqualTo(ErrorCode.UNAVAILABLE);
    assertThat(failure.outcome()).isEqualTo(Outcome.UNKNOWN);
  }
}
