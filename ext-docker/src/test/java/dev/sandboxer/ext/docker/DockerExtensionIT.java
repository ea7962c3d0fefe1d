package dev.sandboxer.ext.docker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandboxer.spi.CleanupReport;
import dev.sandboxer.spi.ExtensionConfig;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Inspection;
import dev.sandboxer.spi.InventoryPage;
import dev.sandboxer.spi.InventoryQuery;
import dev.sandboxer.spi.Probing;
import dev.sandboxer.spi.ProvisionRequest;
import dev.sandboxer.spi.Reachability;
import dev.sandboxer.spi.SandboxExtension;
import dev.sandboxer.spi.SandboxHandle;
import dev.sandboxer.spi.SandboxIdentity;
import dev.sandboxer.spi.TeardownTarget;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The promises of the extension interface, on real containers. */
class DockerExtensionIT {
  @TempDir private Path home;
  private final TestPlatform.Patient call = new TestPlatform.Patient();
  private TestPlatform platform;
  private SandboxRequests requests;
  private BoxdKey key;
  private SandboxExtension extension;

  @BeforeEach
  void createExtension() throws Exception {
    platform = TestPlatform.withEngine(home);
    key = new BoxdKey();
    requests = new SandboxRequests(platform, key);
    extension = new DockerProvider().create(new ExtensionConfig(Map.of()), platform);
  }

  @AfterEach
  void endEverything() throws ExtensionException {
    for (InventoryPage.InventoryObject one : inventory().objects()) {
      extension.teardown(new TeardownTarget.ByIdentity(one.identity()), call);
    }
    extension.close();
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
          .isEqualTo("hello\n" + request.uid() + "\n");
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
    Callable<SandboxHandle> provision =
        () -> extension.provision(request, new TestPlatform.Patient());
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
}
