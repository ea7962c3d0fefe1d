package dev.sandboxer.ext.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sandboxer.ext.docker.FlakyEngine.Fault;
import dev.sandboxer.spi.CleanupReport;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionConfig;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Inspection;
import dev.sandboxer.spi.InventoryQuery;
import dev.sandboxer.spi.Mount;
import dev.sandboxer.spi.Outcome;
import dev.sandboxer.spi.Probing;
import dev.sandboxer.spi.SandboxExtension;
import dev.sandboxer.spi.SandboxHandle;
import dev.sandboxer.spi.SandboxIdentity;
import dev.sandboxer.spi.TeardownTarget;
import dev.sandboxer.testing.PatientCall;
import dev.sandboxer.testing.TestPlatform;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Engines that are missing, forbidden, slow, or go away in the middle. */
class BadEngineIT {
  @TempDir private Path home;
  private final PatientCall call = new PatientCall();
  private TestPlatform platform;
  private SandboxRequests requests;
  private FlakyEngine flaky;
  private SandboxExtension extension;
  private TestEngine engine;

  @BeforeEach
  void createExtension() throws Exception {
    Path socket = home.resolve("engine.sock");
    flaky = new FlakyEngine(socket, DockerPlatform.socket());
    platform = DockerPlatform.of(home, socket);
    requests = new SandboxRequests(platform, new BoxdKey());
    extension = create(platform);
    engine = new TestEngine();
  }

  private static SandboxExtension create(TestPlatform platform) throws ExtensionException {
    return new DockerProvider().create(new ExtensionConfig(Map.of()), platform);
  }

  /** Waits longer than a busy Engine needs for an answer, and no longer than a test may. */
  private SandboxExtension impatient() throws ExtensionException {
    return new DockerProvider()
        .create(new ExtensionConfig(Map.of("timeout_seconds", "5")), platform);
  }

  @AfterEach
  void endEverything() {
    engine
        .of(platform.installation())
        .forEach(one -> engine.docker().removeContainerCmd(one.getId()).withForce(true).exec());
    extension.close();
    flaky.close();
    engine.close();
  }

  private ExtensionException failure(SandboxExtension extension) {
    return catchThrowableOfType(
        ExtensionException.class,
        () -> extension.provision(requests.of(requests.identity()), call));
  }

  @Test
  void saysWhereTheSocketShouldBe() throws Exception {
    TestPlatform elsewhere = DockerPlatform.of(home, home.resolve("none.sock"));
    try (SandboxExtension none = create(elsewhere)) {
      ExtensionException failure = failure(none);
      assertThat(failure.code()).isEqualTo(ErrorCode.UNAVAILABLE);
      assertThat(failure.outcome()).isEqualTo(Outcome.NOTHING_CREATED);
      assertThat(failure)
          .hasMessageContaining(home.resolve("none.sock").toString())
          .hasMessageContaining("SANDBOXER_DOCKER_HOST");
      Probing.Probe probe = ((Probing) none).probe(SandboxRequests.LOCAL, call);
      assertThat(probe.usable()).isFalse();
      assertThat(probe.checks().getFirst().remedy()).isEqualTo("systemctl start docker");
    }
  }

  /** As root without the right to pass over a file's mode, which stands for any other user. */
  @Test
  void saysThatTheSocketMayNotBeUsed() throws Exception {
    Path socket = home.resolve("engine.sock");
    Files.setPosixFilePermissions(socket, Set.of());
    List<String> prefix = List.of("setpriv", "--bounding-set=-dac_override,-dac_read_search");
    Process process = ForkedProvision.start(prefix, "provision", home, requests.identity(), socket);
    assertThat(process.waitFor()).isEqualTo(1);
    assertThat(Files.readString(home.resolve("forked.log")))
        .contains("AUTHORIZATION NothingCreated")
        .contains("the Docker socket " + socket + " may not be used")
        .contains("add the user to the socket's group");
  }

  @Test
  void saysThatNobodyListens() throws Exception {
    Path dead = home.resolve("dead.sock");
    try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      server.bind(UnixDomainSocketAddress.of(dead));
    }
    try (SandboxExtension none = create(DockerPlatform.of(home, dead))) {
      assertThat(failure(none).code()).isEqualTo(ErrorCode.UNAVAILABLE);
      assertThat(failure(none)).hasMessageContaining("nobody answers at the Docker socket " + dead);
    }
  }

  @Test
  void saysThatAnswersAreNoEngines() {
    flaky.failAt("GET /version", 1, Fault.GARBAGE);
    ExtensionException failure = failure(extension);
    assertThat(failure.code()).isEqualTo(ErrorCode.UNAVAILABLE);
    assertThat(failure)
        .hasMessageContaining("is not a Docker Engine")
        .hasMessageContaining("SSH-2");
  }

  @Test
  void waitsForASlowEngineOnlySoLong() throws Exception {
    flaky.failAt("POST .*/containers/create", 1, Fault.STALL_BEFORE);
    try (SandboxExtension impatient = impatient()) {
      ExtensionException failure = failure(impatient);
      assertThat(failure.code()).isEqualTo(ErrorCode.UNAVAILABLE);
      assertThat(failure.outcome()).isEqualTo(Outcome.UNKNOWN);
      assertThat(failure).hasMessageContaining("no answer within 5 s");
    }
  }

  @Test
  void nothingWasMadeByAnEngineThatDoesNotSayWhatItIs() throws Exception {
    try (SandboxExtension impatient = impatient()) {
      for (String question : List.of("GET /version", "GET .*/info")) {
        flaky.failAt(question, 1, Fault.STALL_BEFORE);
        ExtensionException failure = failure(impatient);
        assertThat(failure.code()).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(failure.outcome()).as(question).isEqualTo(Outcome.NOTHING_CREATED);
        assertThat(failure).hasMessageContaining("no answer within 5 s");
      }
    }
  }

  /** The Engine looks the path up again, after the platform's and the extension's look at it. */
  @Test
  void aFolderThatIsSwappedWhileItIsMountedIsSeen() throws Exception {
    Path checked = Files.createDirectory(home.resolve("checked"));
    Path evil = Files.createDirectory(home.resolve("evil"));
    Path kept = home.resolve("kept");
    flaky.around(
        "POST .*/start",
        () -> {
          move(checked, kept);
          move(evil, checked);
        },
        () -> {
          move(checked, evil);
          move(kept, checked);
        });
    SandboxIdentity identity = requests.identity();
    ExtensionException failure =
        catchThrowableOfType(
            ExtensionException.class,
            () ->
                extension.provision(
                    requests.with(
                        identity,
                        SandboxRequests.spec(
                            SandboxRequests.IMAGE,
                            new Mount.HostFolder(checked.toString(), "/in", false))),
                    call));
    assertThat(failure.code()).isEqualTo(ErrorCode.VALIDATION);
    assertThat(failure.outcome()).as("so that it is removed").isInstanceOf(Outcome.Created.class);
    assertThat(failure).hasMessageContaining(checked + " was replaced while it was being mounted");
  }

  /** As where it runs in another mount namespace and has a folder at the same path. */
  @Test
  void anEngineThatSeesAnotherFolderIsNamed() throws Exception {
    SandboxIdentity identity = requests.identity();
    Path folder = platform.runFolder().resolve(identity.name());
    flaky.around(
        "POST .*/start",
        () -> {
          move(folder.resolve("in"), folder.resolve("kept"));
          make(folder.resolve("in"));
        },
        () -> {
          move(folder.resolve("in"), folder.resolve("theirs"));
          move(folder.resolve("kept"), folder.resolve("in"));
        });
    SandboxHandle handle = extension.provision(requests.of(identity), call);
    ExtensionException failure =
        catchThrowableOfType(ExtensionException.class, () -> extension.waitReady(handle, call));
    assertThat(failure.code()).isEqualTo(ErrorCode.UNAVAILABLE);
    assertThat(failure.outcome()).isInstanceOf(Outcome.Created.class);
    assertThat(failure)
        .hasMessageContaining("the Docker Engine at " + home.resolve("engine.sock"))
        .hasMessageContaining("does not see the platform's folder " + folder.resolve("in"));
  }

  @Test
  void anEngineThatDoesNotSeeTheFolderIsNamed() {
    SandboxIdentity identity = requests.identity();
    Path folder = platform.runFolder().resolve(identity.name());
    flaky.around(
        "POST .*/containers/create",
        () -> move(folder, home.resolve("kept")),
        () -> move(home.resolve("kept"), folder));
    ExtensionException failure =
        catchThrowableOfType(
            ExtensionException.class, () -> extension.provision(requests.of(identity), call));
    assertThat(failure.code()).isEqualTo(ErrorCode.UNAVAILABLE);
    assertThat(failure.outcome()).isEqualTo(Outcome.NOTHING_CREATED);
    assertThat(failure)
        .hasMessageContaining("the Docker Engine at " + home.resolve("engine.sock"))
        .hasMessageContaining("it does not see what is here");
  }

  private static void make(Path folder) {
    try {
      Files.createDirectory(folder);
      Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void move(Path from, Path to) {
    try {
      Files.move(from, to);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void aCancelledCallEndsAtOnce() throws Exception {
    flaky.failAt("POST .*/containers/create", 1, Fault.STALL_BEFORE);
    CancellableCall cancellable = new CancellableCall();
    try (SandboxExtension patient =
        new DockerProvider()
            .create(new ExtensionConfig(Map.of("timeout_seconds", "600")), platform)) {
      Thread.ofVirtual()
          .start(
              () -> {
                try {
                  flaky.reached().await();
                  cancellable.cancel();
                } catch (InterruptedException e) {
                  throw new IllegalStateException(e);
                }
              });
      ExtensionException failure =
          catchThrowableOfType(
              ExtensionException.class,
              () -> patient.provision(requests.of(requests.identity()), cancellable));
      assertThat(failure.outcome()).isEqualTo(Outcome.UNKNOWN);
      assertThat(failure).hasMessageContaining("cancelled");
    }
  }

  @Test
  void aCreateWhoseAnswerIsLostIsFoundAgain() throws Exception {
    for (Fault fault : new Fault[] {Fault.CUT_AFTER, Fault.HALF_AN_ANSWER}) {
      flaky.failAt("POST .*/containers/create", 1, fault);
      SandboxIdentity identity = requests.identity();
      ExtensionException failure =
          catchThrowableOfType(
              ExtensionException.class, () -> extension.provision(requests.of(identity), call));
      assertThat(failure.code()).isEqualTo(ErrorCode.UNAVAILABLE);
      assertThat(failure.outcome()).as(fault.toString()).isEqualTo(Outcome.UNKNOWN);
      assertThat(extension.find(identity, call)).hasSize(1);
      CleanupReport report = extension.teardown(new TeardownTarget.ByIdentity(identity), call);
      assertThat(report.clean()).isTrue();
      assertThat(report.removed()).hasSize(1);
      assertThat(engine.of(platform.installation())).isEmpty();
    }
  }

  @Test
  void anEngineThatGoesAwayInADeleteIsAskedAgain() throws Exception {
    SandboxIdentity identity = requests.identity();
    SandboxHandle handle = extension.provision(requests.of(identity), call);
    for (Fault fault : new Fault[] {Fault.CUT_BEFORE, Fault.CUT_AFTER}) {
      flaky.failAt("DELETE ", 1, fault);
      TeardownTarget target = new TeardownTarget.ByHandle(identity, handle);
      ExtensionException failure =
          catchThrowableOfType(ExtensionException.class, () -> extension.teardown(target, call));
      assertThat(failure.code()).isEqualTo(ErrorCode.UNAVAILABLE);
    }
    assertThat(extension.teardown(new TeardownTarget.ByHandle(identity, handle), call).clean())
        .isTrue();
    assertThat(platform.runFolder()).isEmptyDirectory();
  }

  @Test
  void whatCanNotBeRemovedIsNamed() throws Exception {
    SandboxIdentity identity = requests.identity();
    SandboxHandle handle = extension.provision(requests.of(identity), call);
    flaky.refuseAt("DELETE ", 500, "driver failed to remove root filesystem: device busy");
    CleanupReport report = extension.teardown(new TeardownTarget.ByHandle(identity, handle), call);
    assertThat(report.left()).hasSize(1);
    assertThat(report.left().getFirst().providerUid())
        .isEqualTo(engine.of(platform.installation()).getFirst().getId());
    assertThat(report.left().getFirst().reason()).contains("device busy");
  }

  @Test
  void aDeadEngineSaysNothingAboutItsSandboxes() throws Exception {
    SandboxHandle handle = extension.provision(requests.of(requests.identity()), call);
    flaky.failAt("GET .*/containers/", 1, Fault.CUT_AFTER);
    assertThat(extension.inspect(handle, call)).isInstanceOf(Inspection.Unknown.class);
    flaky.failAt("GET .*/containers/json", 1, Fault.HALF_AN_ANSWER);
    ExtensionException failure =
        catchThrowableOfType(
            ExtensionException.class,
            () -> extension.inventory(new InventoryQuery(SandboxRequests.LOCAL, null), call));
    assertThat(failure.code()).isEqualTo(ErrorCode.UNAVAILABLE);
  }

  @Test
  void aFullDiskIsNoRoomAndLeavesNothing() {
    flaky.refuseAt(
        "POST .*/containers/create",
        500,
        "mkdir /var/lib/docker/overlay2/x: no space left on device");
    ExtensionException failure = failure(extension);
    assertThat(failure.code()).isEqualTo(ErrorCode.CAPACITY);
    assertThat(failure.outcome()).isEqualTo(Outcome.NOTHING_CREATED);
    assertThat(failure).hasMessageContaining("docker image prune");
    assertThat(platform.runFolder()).isEmptyDirectory();
  }

  @Test
  void anEngineThatIsTooOldIsNamed() {
    flaky.failAt("GET /version", 1, Fault.REFUSE);
    flaky.answer(
        "HTTP/1.1 200 OK\r\n\r\n{\"Version\":\"19.03\",\"ApiVersion\":\"1.40\",\"MinAPIVersion\":\"1.12\",\"Arch\":\"amd64\"}");
    ExtensionException failure = failure(extension);
    assertThat(failure.code()).isEqualTo(ErrorCode.UNSUPPORTED);
    assertThat(failure).hasMessageContaining("19.03").hasMessageContaining("20.10");
  }

  @Test
  void anEngineThatCanNotLimitMemoryIsRefusedUnlessTheProfileAllowsIt() {
    flaky.failAt("GET .*/info", 1, Fault.REFUSE);
    flaky.answer(
        "HTTP/1.1 200 OK\r\n\r\n{\"ID\":\"x\",\"MemoryLimit\":false,\"SwapLimit\":false,\"CpuCfsQuota\":true,\"PidsLimit\":true}");
    ExtensionException failure = failure(extension);
    assertThat(failure.code()).isEqualTo(ErrorCode.UNSUPPORTED);
    assertThat(failure)
        .hasMessageContaining("resources.memory: ")
        .hasMessageContaining("'best_effort: [memory]'");
  }
}
