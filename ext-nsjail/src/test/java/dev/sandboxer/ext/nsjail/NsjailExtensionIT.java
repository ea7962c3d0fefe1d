package dev.sandboxer.ext.nsjail;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sandboxer.spi.CleanupReport;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionConfig;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.HostRef;
import dev.sandboxer.spi.Inspection;
import dev.sandboxer.spi.InventoryPage;
import dev.sandboxer.spi.InventoryQuery;
import dev.sandboxer.spi.IsolationLevel;
import dev.sandboxer.spi.Network;
import dev.sandboxer.spi.NetworkMode;
import dev.sandboxer.spi.Outcome;
import dev.sandboxer.spi.Probing;
import dev.sandboxer.spi.ProvisionRequest;
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
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is nsjail's own, on real jails; what every extension promises is in {@link NsjailTckIT}. */
class NsjailExtensionIT {
  private static final HostRef LOCAL = new HostRef("here", HostRef.LOCAL);

  @TempDir private Path home;
  private final PatientCall call = new PatientCall();
  private TestPlatform platform;
  private Requests requests;
  private SandboxExtension extension;

  @BeforeEach
  void createExtension() throws Exception {
    platform = withNsjail();
    requests = new Requests(platform);
    extension = create(platform);
  }

  /** A platform with the nsjail that the environment names. */
  private TestPlatform withNsjail() throws IOException {
    String nsjail = System.getenv("SANDBOXER_NSJAIL");
    if (nsjail == null) {
      throw new IllegalStateException(
          "these tests start real jails: set SANDBOXER_NSJAIL to the path of nsjail");
    }
    return new TestPlatform(home, Map.of("path", nsjail));
  }

  private static SandboxExtension create(TestPlatform platform) throws ExtensionException {
    return new NsjailProvider().create(new ExtensionConfig(Map.of()), platform);
  }

  @AfterEach
  void endEverything() throws ExtensionException {
    for (InventoryPage.InventoryObject one : inventory().objects()) {
      extension.teardown(new TeardownTarget.ByIdentity(one.identity()), call);
    }
    extension.close();
  }

  private InventoryPage inventory() throws ExtensionException {
    return extension.inventory(new InventoryQuery(LOCAL, null), call);
  }

  @Test
  void seesAnEndThatNobodyAskedFor() throws Exception {
    SandboxIdentity identity = requests.identity();
    SandboxHandle handle = extension.provision(requests.of(identity), call);
    HostProcess init = HostProcess.parse(Fields.parse(handle.data()).get("init"));

    ProcessHandle.of(init.pid()).orElseThrow().destroyForcibly();

    await().atMost(Duration.ofMinutes(1)).until(() -> !init.alive());
    assertThat(extension.inspect(handle, call))
        .isInstanceOfSatisfying(
            Inspection.Ended.class, end -> assertThat(end.reason()).isEqualTo(ErrorCode.CRASH));
    assertThatThrownBy(() -> extension.waitReady(handle, call))
        .isInstanceOfSatisfying(
            ExtensionException.class,
            e -> assertThat(e.outcome()).isEqualTo(new Outcome.Created(handle)));

    SandboxHandle second = extension.provision(requests.of(identity), call);
    assertThat(second).isNotEqualTo(handle);
    assertThat(extension.inspect(second, call)).isInstanceOf(Inspection.Running.class);
  }

  /** The launcher waits for the folder's lock, so it is certainly there to be killed. */
  @Test
  void aLauncherThatIsKilledIsAFailureThatMayBeTriedAgain() throws Exception {
    SandboxIdentity identity = requests.identity();
    Path folder = Files.createDirectories(platform.runFolder().resolve(identity.name()));
    Process holder =
        new ProcessBuilder(
                "flock", folder.resolve("lock").toString(), "sh", "-c", "echo; sleep 600")
            .start();
    assertThat(holder.getInputStream().read()).isEqualTo('\n');
    CompletableFuture<Void> killed = CompletableFuture.runAsync(NsjailExtensionIT::killLauncher);
    assertThatThrownBy(() -> extension.provision(requests.of(identity), call))
        .isInstanceOfSatisfying(
            ExtensionException.class,
            e -> {
              assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE);
              assertThat(e.outcome()).isEqualTo(Outcome.UNKNOWN);
              assertThat(e).hasMessageContaining("launch was ended by signal 9");
            });
    killed.join();
    holder.descendants().forEach(ProcessHandle::destroyForcibly);
    holder.destroyForcibly().waitFor();

    SandboxHandle handle = extension.provision(requests.of(identity), call);
    assertThat(extension.inspect(handle, call)).isInstanceOf(Inspection.Running.class);
    extension.teardown(new TeardownTarget.ByIdentity(identity), call);
    assertThat(platform.runFolder()).isEmptyDirectory();
  }

  private static void killLauncher() {
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> launchers().filter(ProcessHandle::destroyForcibly).count() > 0);
  }

  private static Stream<ProcessHandle> launchers() {
    return ProcessHandle.current()
        .children()
        .filter(
            child -> List.of(child.info().arguments().orElse(new String[0])).contains("launch"));
  }

  @Test
  void aStrayFileKeepsTheFolderAndNotTheProcesses() throws Exception {
    SandboxIdentity identity = requests.identity();
    SandboxHandle handle = extension.provision(requests.of(identity), call);
    HostProcess init = HostProcess.parse(Fields.parse(handle.data()).get("init"));
    Path stray = platform.runFolder().resolve(identity.name()).resolve("notes");
    Files.writeString(stray, "x");

    CleanupReport report = extension.teardown(new TeardownTarget.ByIdentity(identity), call);
    assertThat(init.alive()).isFalse();
    assertThat(report.left())
        .singleElement()
        .satisfies(left -> assertThat(left.reason()).contains("has ended", stray.toString()));
    assertThat(stray).hasContent("x");

    Files.delete(stray);
    assertThat(extension.teardown(new TeardownTarget.ByIdentity(identity), call).clean()).isTrue();
    assertThat(platform.runFolder()).isEmptyDirectory();
  }

  @Test
  void leavesWhatItDidNotSignAlone() throws Exception {
    SandboxIdentity identity = requests.identity();
    SandboxHandle handle = extension.provision(requests.of(identity), call);
    Path state = platform.runFolder().resolve(identity.name()).resolve("state");
    String original = Files.readString(state);
    Files.writeString(state, original.replaceFirst("label=.", "label=_"));

    CleanupReport report = extension.teardown(new TeardownTarget.ByIdentity(identity), call);
    assertThat(report.clean()).isFalse();
    assertThat(report.left())
        .singleElement()
        .satisfies(l -> assertThat(l.reason()).contains("label"));
    assertThat(inventory().objects()).isEmpty();

    Files.writeString(state, original);
    assertThat(extension.inspect(handle, call)).isInstanceOf(Inspection.Running.class);
  }

  @Test
  void anUnreadableStateMakesTheInventoryIncomplete() throws Exception {
    SandboxIdentity identity = requests.identity();
    extension.provision(requests.of(identity), call);
    Path state = platform.runFolder().resolve(identity.name()).resolve("state");
    String original = Files.readString(state);
    Files.writeString(state, "half a");
    assertThat(inventory().complete()).isFalse();
    Files.writeString(state, original);
    assertThat(inventory().complete()).isTrue();
  }

  @Test
  void refusesWhatAJailCanNotBe() {
    SandboxIdentity identity = requests.identity();
    assertUnsupported(
        requests.with(identity, new HostRef("far", "ssh://far"), plain()), "host far");
    assertUnsupported(
        requests.with(identity, LOCAL, Requests.spec(IsolationLevel.VM, Network.NONE, null)), "VM");
    assertUnsupported(
        requests.with(
            identity,
            LOCAL,
            Requests.spec(
                IsolationLevel.PROCESS, new Network(NetworkMode.PUBLIC, List.of()), null)),
        "PUBLIC");
    assertThat(platform.runFolder()).isEmptyDirectory();
  }

  private static SandboxSpec plain() {
    return Requests.spec(IsolationLevel.PROCESS, Network.NONE, null);
  }

  private void assertUnsupported(ProvisionRequest request, String named) {
    assertThatThrownBy(() -> extension.provision(request, call))
        .isInstanceOfSatisfying(
            ExtensionException.class,
            e -> {
              assertThat(e.code()).isEqualTo(ErrorCode.UNSUPPORTED);
              assertThat(e.outcome()).isEqualTo(Outcome.NOTHING_CREATED);
              assertThat(e).hasMessageContaining(named);
            });
  }

  @Test
  void saysThatNsjailIsMissing(@TempDir Path other) throws Exception {
    TestPlatform without = new TestPlatform(other, Map.of("path", "/nowhere/nsjail"));
    assertThatThrownBy(
            () -> create(without).provision(new Requests(without).of(requests.identity()), call))
        .isInstanceOfSatisfying(
            ExtensionException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE))
        .hasMessageContaining("nsjail is not there");
    assertThat(((Probing) create(without)).probe(LOCAL, call).usable()).isFalse();
  }

  @Test
  void probesByTrying() {
    Probing.Probe probe = ((Probing) extension).probe(LOCAL, call);
    assertThat(probe.usable()).as("%s", probe.checks()).isTrue();
    assertThat(probe.checks()).extracting(Probing.Check::name).contains("nsjail", "jail");
    if (Requests.root()) {
      assertThat(probe.notEnforced()).isEmpty();
    }
  }

  @Test
  void refusesHandlesThatAreNotItsOwn() {
    for (String data : List.of("", "name=x", "installation=x\nname=../../etc-1-1\n")) {
      assertThatThrownBy(() -> extension.inspect(SandboxHandle.of(1, data), call))
          .isInstanceOfSatisfying(
              ExtensionException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.VALIDATION));
    }
  }
}
