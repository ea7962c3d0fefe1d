package dev.sandboxer.ext.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.sandboxer.spi.CleanupReport;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionConfig;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Inspection;
import dev.sandboxer.spi.InventoryPage;
import dev.sandboxer.spi.InventoryQuery;
import dev.sandboxer.spi.IsolationLevel;
import dev.sandboxer.spi.Network;
import dev.sandboxer.spi.NetworkMode;
import dev.sandboxer.spi.Outcome;
import dev.sandboxer.spi.Probing;
import dev.sandboxer.spi.ProvisionRequest;
import dev.sandboxer.spi.Reachability;
import dev.sandboxer.spi.SandboxExtension;
import dev.sandboxer.spi.SandboxHandle;
import dev.sandboxer.spi.SandboxIdentity;
import dev.sandboxer.spi.SandboxSpec;
import dev.sandboxer.spi.TeardownTarget;
import dev.sandboxer.testing.PatientCall;
import dev.sandboxer.testing.TestPlatform;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The promises of the extension interface, on real containers. */
class DockerExtensionIT {
  @TempDir private Path home;
  private final PatientCall call = new PatientCall();
  private TestPlatform platform;
  private SandboxRequests requests;
  private BoxdKey key;
  private SandboxExtension extension;
  private TestEngine engine;

  @BeforeEach
  void createExtension() throws Exception {
    platform = DockerPlatform.of(home);
    key = new BoxdKey();
    engine = new TestEngine();
    requests = new SandboxRequests(platform, key);
    extension = new DockerProvider().create(new ExtensionConfig(Map.of()), platform);
  }

  @AfterEach
  void endEverything() throws ExtensionException {
    for (InventoryPage.InventoryObject one : inventory().objects()) {
      extension.teardown(new TeardownTarget.ByIdentity(one.identity()), call);
    }
    extension.close();
    engine.close();
  }

  private InventoryPage inventory() throws ExtensionException {
    return extension.inventory(new InventoryQuery(SandboxRequests.LOCAL, null), call);
  }

  @Test
  void runsCommandsUntilItIsTornDown() throws Exception {
    SandboxIdentity identity = requests.identity();
    ProvisionRequest request = requests.of(identity);
    SandboxHandle handle = extension.provision(request, call);
    Reachability reachability = extension.waitReady(handle, call);

    try (Inhabitant inhabitant = Inhabitant.enter(reachability, key, identity)) {
      assertThat(inhabitant.sh("echo hello; id -u").out())
          .isEqualTo("hello\n" + request.uid().orElseThrow() + "\n");
    }
    assertThat(extension.inspect(handle, call)).isInstanceOf(Inspection.Running.class);
    assertThat(reachability.notEnforced()).isEmpty();

    CleanupReport report = extension.teardown(new TeardownTarget.ByHandle(identity, handle), call);
    assertThat(report.clean()).isTrue();
    assertThat(report.removed()).containsExactly(reachability.providerUid());
    assertThat(extension.inspect(handle, call)).isInstanceOf(Inspection.Gone.class);
    assertThat(extension.teardown(new TeardownTarget.ByIdentity(identity), call))
        .isEqualTo(CleanupReport.NOTHING);
    assertThat(platform.runFolder()).isEmptyDirectory();
  }

  @Test
  void makesOneSandboxForOneIdentityHoweverOftenItIsAsked() throws Exception {
    ProvisionRequest request = requests.of(requests.identity());
    Callable<SandboxHandle> provision = () -> extension.provision(request, new PatientCall());
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<SandboxHandle> handles =
          threads.invokeAll(List.of(provision, provision, provision, provision)).stream()
              .map(Future::resultNow)
              .distinct()
              .toList();
      assertThat(handles).hasSize(1);
    }
    assertThat(inventory().objects()).hasSize(1);
  }

  @Test
  void probesByMakingAContainerWithoutAnyImage() {
    Probing.Probe probe = ((Probing) extension).probe(SandboxRequests.LOCAL, call);

    assertThat(probe.checks()).allMatch(Probing.Check::ok, probe.checks().toString());
    assertThat(probe.usable()).isTrue();
  }

  @Test
  void isFoundAgainByAnotherPlatformProcess() throws Exception {
    SandboxIdentity identity = requests.identity();
    SandboxHandle lost = extension.provision(requests.of(identity), call);
    try (SandboxExtension other =
        new DockerProvider().create(new ExtensionConfig(Map.of()), platform)) {
      List<SandboxHandle> found = other.find(identity, call);
      assertThat(found).containsExactly(lost);
      Reachability reachability = other.waitReady(found.getFirst(), call);
      assertThat(other.waitReady(lost, call).dataplane()).isEqualTo(reachability.dataplane());
      try (Inhabitant inhabitant = Inhabitant.enter(reachability, key, identity)) {
        assertThat(inhabitant.sh("echo still here").out()).isEqualTo("still here\n");
      }
    }
    assertThat(extension.find(requests.identity(), call)).isEmpty();
  }

  @Test
  void aContainerWhoseFolderWasLostIsMadeAnew() throws Exception {
    SandboxIdentity identity = requests.identity();
    SandboxHandle lost = extension.provision(requests.of(identity), call);
    remove(platform.runFolder().resolve(identity.name()));
    SandboxHandle handle = extension.provision(requests.of(identity), call);
    assertThat(handle).isNotEqualTo(lost);
    assertThat(engine.of(platform.installation())).hasSize(1);
    try (Inhabitant inhabitant =
        Inhabitant.enter(extension.waitReady(handle, call), key, identity)) {
      assertThat(inhabitant.sh("echo anew").out()).isEqualTo("anew\n");
    }
  }

  private static void remove(Path folder) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }

  @Test
  void leavesAStrangerOfTheSameNameAlone() throws Exception {
    SandboxIdentity identity = requests.identity();
    String name = Labels.container(identity);
    String stranger =
        engine.stranger(
            name,
            Map.of(
                Labels.INSTALLATION, platform.installation(),
                Labels.NAME, identity.name(),
                Labels.SIGNATURE, "0".repeat(64)));
    ExtensionException failure =
        catchThrowableOfType(
            ExtensionException.class, () -> extension.provision(requests.of(identity), call));
    assertThat(failure.code()).isEqualTo(ErrorCode.VALIDATION);
    assertThat(failure.outcome()).isEqualTo(Outcome.NOTHING_CREATED);
    assertThat(failure).hasMessageContaining(name).hasMessageContaining(stranger);
    assertThat(extension.find(identity, call)).isEmpty();
    assertThat(inventory().objects()).isEmpty();
    CleanupReport report = extension.teardown(new TeardownTarget.ByIdentity(identity), call);
    assertThat(report.removed()).isEmpty();
    assertThat(report.clean()).as("it is no debt of ours").isTrue();
    assertThat(report.foreign())
        .singleElement()
        .satisfies(left -> assertThat(left.providerUid()).isEqualTo(stranger));
    assertThat(engine.of(platform.installation())).hasSize(1);
  }

  @Test
  void aFolderWhoseNameAStrangerHasIsHisUntilHeIsGone() throws Exception {
    SandboxIdentity identity = requests.identity();
    SandboxHandle handle = extension.provision(requests.of(identity), call);
    engine.remove(engine.of(platform.installation()).getFirst().getId());
    String stranger = engine.stranger(Labels.container(identity), Map.of());
    assertThat(extension.find(identity, call)).isEmpty();
    assertThat(inventory().objects()).isEmpty();
    assertThat(extension.inspect(handle, call)).isInstanceOf(Inspection.Gone.class);
    CleanupReport report = extension.teardown(new TeardownTarget.ByHandle(identity, handle), call);
    assertThat(report.clean()).isTrue();
    assertThat(report.foreign().getFirst().reason()).contains(stranger, "left alone");
    assertThat(platform.runFolder().resolve(identity.name())).isDirectory();
    engine.remove(stranger);
    assertThat(inventory().objects()).as("what the sweep finds").hasSize(1);
    assertThat(extension.teardown(new TeardownTarget.ByIdentity(identity), call).clean()).isTrue();
    assertThat(platform.runFolder()).isEmptyDirectory();
  }

  @Test
  void aCopyOfItsLabelsUnderAnotherNameIsAStranger() throws Exception {
    SandboxIdentity identity = requests.identity();
    SandboxHandle handle = extension.provision(requests.of(identity), call);
    Map<String, String> labels = engine.of(platform.installation()).getFirst().getLabels();
    String copy = engine.stranger("sandboxer-copy-" + identity.name(), labels);
    assertThat(inventory().objects()).hasSize(1);
    assertThat(extension.teardown(new TeardownTarget.ByHandle(identity, handle), call).removed())
        .hasSize(1)
        .doesNotContain(copy);
    assertThat(engine.of(platform.installation()).getFirst().getId()).isEqualTo(copy);
  }

  @Test
  void itsLabelsNameTheProfilesAndNobodyElse() throws Exception {
    extension.provision(requests.of(requests.identity()), call);
    assertThat(engine.of(platform.installation()).getFirst().getLabels().keySet())
        .filteredOn(label -> !label.equals("dev.sandboxer.stand-in")) // the test image brings it
        .containsExactlyInAnyOrder(
            Labels.INSTALLATION, Labels.NAME, Labels.SIGNATURE, "dev.sandboxer.label.team");
  }

  @Test
  void saysHowItEnded() throws Exception {
    SandboxIdentity identity = requests.identity();
    SandboxHandle handle = extension.provision(requests.of(identity), call);
    extension.waitReady(handle, call);
    String id = engine.of(platform.installation()).getFirst().getId();
    engine.docker().pauseContainerCmd(id).exec();
    assertThat(extension.inspect(handle, call)).isInstanceOf(Inspection.Suspended.class);
    engine.docker().unpauseContainerCmd(id).exec();
    engine.docker().killContainerCmd(id).exec();
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> extension.inspect(handle, call) instanceof Inspection.Ended);
    assertThat(extension.inspect(handle, call))
        .isEqualTo(
            new Inspection.Ended(
                ErrorCode.CRASH, "the container's first process has ended with exit code 137"));
    engine.docker().removeContainerCmd(id).exec();
    assertThat(extension.inspect(handle, call)).isInstanceOf(Inspection.Gone.class);
    // Its folder is still known, so that nothing is left behind.
    assertThat(inventory().objects()).hasSize(1);
    assertThat(extension.teardown(new TeardownTarget.ByIdentity(identity), call).clean()).isTrue();
    assertThat(inventory().objects()).isEmpty();
  }

  @Test
  void anEndedOneIsReplacedWhenItIsAskedForAgain() throws Exception {
    ProvisionRequest request = requests.of(requests.identity());
    SandboxHandle first = extension.provision(request, call);
    engine.docker().killContainerCmd(engine.of(platform.installation()).getFirst().getId()).exec();
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> extension.inspect(first, call) instanceof Inspection.Ended);
    SandboxHandle second = extension.provision(request, call);
    assertThat(second).isNotEqualTo(first);
    assertThat(extension.waitReady(second, call).providerUid())
        .isEqualTo(engine.of(platform.installation()).getFirst().getId());
  }

  @Test
  void refusesWhatItCanNotBe() {
    SandboxSpec jail =
        SandboxRequests.spec(SandboxRequests.IMAGE).toBuilder()
            .isolation(IsolationLevel.PROCESS)
            .network(new Network(NetworkMode.PUBLIC, List.of()))
            .options(Map.of("gpu", true))
            .build();
    assertThat(failure(jail).code()).isEqualTo(ErrorCode.UNSUPPORTED);
    assertThat(failure(jail)).hasMessageContainingAll("PROCESS", "PUBLIC", "options [gpu]");
    assertThat(failure(SandboxRequests.spec(null))).hasMessageContaining("image: debian:13");
    SandboxSpec runsc = SandboxRequests.spec(SandboxRequests.IMAGE, "no-such-runtime");
    assertThat(failure(runsc).code()).isEqualTo(ErrorCode.UNSUPPORTED);
    assertThat(failure(runsc)).hasMessageContainingAll("no-such-runtime", "isolation.runtime");
    assertThat(engine.of(platform.installation()).size()).isLessThanOrEqualTo(1);
  }

  private ExtensionException failure(SandboxSpec spec) {
    return catchThrowableOfType(
        ExtensionException.class,
        () -> extension.provision(requests.with(requests.identity(), spec), call));
  }
}
