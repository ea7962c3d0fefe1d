package dev.sandboxer.ext.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.CleanupReport;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionConfig;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.HostRef;
import dev.sandboxer.spi.Inspection;
import dev.sandboxer.spi.InventoryPage;
import dev.sandboxer.spi.InventoryPage.InventoryObject;
import dev.sandboxer.spi.InventoryQuery;
import dev.sandboxer.spi.Mount;
import dev.sandboxer.spi.Outcome;
import dev.sandboxer.spi.Probing;
import dev.sandboxer.spi.SandboxExtension;
import dev.sandboxer.spi.SandboxHandle;
import dev.sandboxer.spi.SandboxIdentity;
import dev.sandboxer.spi.SandboxSpec;
import dev.sandboxer.spi.TeardownTarget;
import dev.sandboxer.testing.PatientCall;
import dev.sandboxer.testing.PrivateDockerd;
import dev.sandboxer.testing.TestPlatform;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.api.io.TempDir;

/** One extension with two real Engines: what happens on one is nothing to the other. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@EnabledIfEnvironmentVariable(named = "SANDBOXER_TEST_DOCKERD", matches = ".+")
class TwoEnginesIT {

  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final int TIMEOUT_SECONDS = 5;

  @TempDir private Path home;
  private PrivateDockerd dockerd;
  private HostRef second;
  private TestPlatform platform;
  private BoxdKey key;
  private SandboxRequests requests;
  private SandboxExtension extension;

  @BeforeAll
  void start() throws IOException {
    dockerd = PrivateDockerd.start();
    dockerd.copyImage("unix://" + DockerPlatform.socket(), SandboxRequests.IMAGE);
    second = new HostRef("engine-2", dockerd.host());
  }

  @AfterAll
  void end() {
    dockerd.close();
  }

  @BeforeEach
  void createExtension() throws Exception {
    platform = DockerPlatform.of(home);
    key = new BoxdKey();
    requests = new SandboxRequests(platform, key);
    extension =
        new DockerProvider()
            .create(
                new ExtensionConfig(Map.of("timeout_seconds", Integer.toString(TIMEOUT_SECONDS))),
                platform);
  }

  @AfterEach
  void leaveNothing() throws ExtensionException {
    for (HostRef host : List.of(SandboxRequests.LOCAL, second)) {
      for (InventoryObject object : inventory(host).objects()) {
        assertThat(teardown(host, object.identity()).clean()).isTrue();
      }
    }
    extension.close();
  }

  private static Call on(HostRef host) {
    return new PatientCall(host);
  }

  private SandboxHandle provision(HostRef host, SandboxIdentity identity)
      throws ExtensionException {
    return extension.provision(requests.of(identity).withHost(host), on(host));
  }

  private CleanupReport teardown(HostRef host, SandboxIdentity identity) throws ExtensionException {
    return extension.teardown(new TeardownTarget.ByIdentity(identity), on(host));
  }

  private InventoryPage inventory(HostRef host) throws ExtensionException {
    return extension.inventory(new InventoryQuery(host, null), on(host));
  }

  private List<SandboxIdentity> listed(HostRef host) throws ExtensionException {
    return inventory(host).objects().stream().map(InventoryObject::identity).toList();
  }

  private void works(HostRef host, SandboxIdentity identity, SandboxHandle handle)
      throws Exception {
    try (Inhabitant inside =
        Inhabitant.enter(extension.waitReady(handle, on(host)), key, identity)) {
      assertThat(inside.sh("echo fine").out()).isEqualTo("fine\n");
    }
  }

  @Test
  void eachHasItsOwnSandboxes() throws Exception {
    SandboxIdentity here = requests.identity();
    SandboxIdentity there = requests.identity();
    SandboxHandle first = provision(SandboxRequests.LOCAL, here);
    SandboxHandle other = provision(second, there);
    works(SandboxRequests.LOCAL, here, first);
    works(second, there, other);

    assertThat(listed(SandboxRequests.LOCAL)).containsExactly(here);
    assertThat(listed(second)).containsExactly(there);
    assertThat(inventory(second).scope()).isNotEqualTo(inventory(SandboxRequests.LOCAL).scope());
    assertThat(extension.find(there, on(SandboxRequests.LOCAL))).isEmpty();
    assertThat(extension.inspect(other, on(SandboxRequests.LOCAL)))
        .isInstanceOf(Inspection.Gone.class);

    assertThat(teardown(SandboxRequests.LOCAL, there)).isEqualTo(CleanupReport.NOTHING);
    works(second, there, other);
    assertThat(teardown(second, there).removed()).hasSize(1);
    assertThat(extension.inspect(other, on(second))).isInstanceOf(Inspection.Gone.class);
    works(SandboxRequests.LOCAL, here, first);
  }

  /** Of a sandbox whose container somebody removed. */
  @Test
  void aFolderThatIsLeftIsItsOwnEnginesAlone() throws Exception {
    SandboxIdentity there = requests.identity();
    SandboxHandle handle = provision(second, there);
    try (TestEngine engine = new TestEngine(dockerd.socket())) {
      engine.remove(DockerHandle.of(handle).container());
    }
    assertThat(listed(SandboxRequests.LOCAL)).isEmpty();
    assertThat(listed(second)).containsExactly(there);
    assertThat(teardown(second, there).clean()).isTrue();
    assertThat(listed(second)).isEmpty();
  }

  @Test
  void aFrozenOneIsGivenUpInTimeWhileTheOtherWorks() throws Exception {
    SandboxIdentity there = requests.identity();
    SandboxHandle handle = provision(second, there);
    works(second, there, handle);
    SandboxIdentity late = requests.identity();
    dockerd.freeze();
    try {
      long begin = System.nanoTime();
      ExtensionException failure =
          catchThrowableOfType(ExtensionException.class, () -> provision(second, late));
      assertThat(failure.code()).isEqualTo(ErrorCode.UNAVAILABLE);
      assertThat(failure).hasMessageContaining("the Docker Engine at " + dockerd.socket());
      assertThat(Duration.ofNanos(System.nanoTime() - begin))
          .isLessThan(Duration.ofSeconds(4 * TIMEOUT_SECONDS));
      assertThat(extension.inspect(handle, on(second))).isInstanceOf(Inspection.Unknown.class);
      SandboxIdentity here = requests.identity();
      works(SandboxRequests.LOCAL, here, provision(SandboxRequests.LOCAL, here));
    } finally {
      dockerd.thaw();
    }
    assertThat(extension.inspect(handle, on(second))).isInstanceOf(Inspection.Running.class);
    assertThat(teardown(second, late).clean()).isTrue();
    SandboxIdentity next = requests.identity();
    works(second, next, provision(second, next));
  }

  @Test
  void oneThatWasKilledIsUsedAgain() throws Exception {
    SandboxIdentity before = requests.identity();
    SandboxHandle handle = provision(second, before);
    dockerd.end(true);
    ExtensionException failure =
        catchThrowableOfType(
            ExtensionException.class, () -> provision(second, requests.identity()));
    assertThat(failure.code()).isEqualTo(ErrorCode.UNAVAILABLE);
    assertThat(failure.outcome()).isEqualTo(Outcome.NOTHING_CREATED);
    assertThat(failure)
        .hasMessageContaining("the Docker socket " + dockerd.socket() + ": start that Engine");
    dockerd.startAgain();
    await()
        .atMost(PATIENCE)
        .until(() -> !(extension.inspect(handle, on(second)) instanceof Inspection.Unknown));
    SandboxIdentity after = requests.identity();
    works(second, after, provision(second, after));
  }

  @Test
  void bothTellTheirRoom() {
    for (HostRef host : List.of(SandboxRequests.LOCAL, second)) {
      Probing.Probe probe = ((Probing) extension).probe(host, on(host));
      assertThat(probe.checks()).allMatch(Probing.Check::ok, probe.checks().toString());
      Probing.Room room = probe.room().orElseThrow();
      assertThat(room.cpus().intValueExact()).isEqualTo(Runtime.getRuntime().availableProcessors());
      assertThat(room.memoryBytes()).isGreaterThan(128L << 20);
    }
  }

  @Test
  void noSandboxGetsTheSocketOfAnother() {
    SandboxSpec spec =
        SandboxRequests.spec(
            SandboxRequests.IMAGE, new Mount.HostFolder(dockerd.folder().toString(), "/in", false));
    assertThat(((Probing) extension).probe(second, on(second)).usable()).isTrue();
    ExtensionException failure =
        catchThrowableOfType(
            ExtensionException.class,
            () ->
                extension.provision(
                    requests.with(requests.identity(), spec), on(SandboxRequests.LOCAL)));
    assertThat(failure.code()).isEqualTo(ErrorCode.VALIDATION);
    assertThat(failure).hasMessageContaining(dockerd.socket().toString());
  }

  @Test
  void addressesThatItCannotReachAreNamed() {
    for (String address : List.of("https://far:2376", "http://far:2375", "elsewhere")) {
      assertRefused(address, ErrorCode.UNSUPPORTED);
    }
    for (String address : List.of("unix://docker.sock", "unix://")) {
      assertRefused(address, ErrorCode.VALIDATION);
    }
  }

  private void assertRefused(String address, ErrorCode code) {
    HostRef host = new HostRef("far", address);
    ExtensionException failure =
        catchThrowableOfType(ExtensionException.class, () -> provision(host, requests.identity()));
    assertThat(failure.code()).as(address).isEqualTo(code);
    assertThat(failure.outcome()).isEqualTo(Outcome.NOTHING_CREATED);
    assertThat(failure).hasMessageContaining("host far").hasMessageContaining("'" + address + "'");
    Probing.Probe probe = ((Probing) extension).probe(host, on(host));
    assertThat(probe.usable()).isFalse();
    assertThat(probe.checks().getFirst().detail()).contains(address);
  }
}
