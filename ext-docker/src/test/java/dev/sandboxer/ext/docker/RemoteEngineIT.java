package dev.sandboxer.ext.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import com.github.dockerjava.api.model.Container;
import dev.sandboxer.spi.ByteStream;
import dev.sandboxer.spi.ByteStreamOpener;
import dev.sandboxer.spi.DataplaneAddress;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionConfig;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.HostRef;
import dev.sandboxer.spi.Inspection;
import dev.sandboxer.spi.InventoryQuery;
import dev.sandboxer.spi.Mount;
import dev.sandboxer.spi.Outcome;
import dev.sandboxer.spi.Probing;
import dev.sandboxer.spi.ProvisionRequest;
import dev.sandboxer.spi.Reachability;
import dev.sandboxer.spi.SandboxExtension;
import dev.sandboxer.spi.SandboxHandle;
import dev.sandboxer.spi.TeardownTarget;
import dev.sandboxer.testing.PatientCall;
import dev.sandboxer.testing.SshServer;
import dev.sandboxer.testing.TestPlatform;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Sandboxes on Engines behind SSH and TLS, and what is said of those that are not as they should
 * be.
 */
class RemoteEngineIT {

  @TempDir private Path home;
  private TestPlatform platform;
  private BoxdKey key;
  private SandboxRequests requests;
  private SandboxExtension extension;
  private TestEngine engine;
  private SshMachine machine;
  private TlsDoor door;
  private List<String> images;

  @BeforeEach
  void start() throws Exception {
    platform = DockerPlatform.of(home.resolve("p"), Path.of("/nowhere/docker.sock"));
    key = new BoxdKey();
    requests = new SandboxRequests(platform, key);
    extension = new DockerProvider().create(new ExtensionConfig(Map.of()), platform);
    engine = new TestEngine();
    volumes().forEach(name -> engine.docker().removeVolumeCmd(name).exec());
    images = images();
    machine = new SshMachine(home.resolve("ssh"));
    door = new TlsDoor(home.resolve("tls"), DockerPlatform.socket());
  }

  @AfterEach
  void end() throws IOException {
    extension.close();
    machine.close();
    door.close();
    engine
        .of(platform.installation())
        .forEach(one -> engine.docker().removeContainerCmd(one.getId()).withForce(true).exec());
    volumes().forEach(name -> engine.docker().removeVolumeCmd(name).exec());
    engine.close();
  }

  /** Those that have boxd. */
  private List<String> volumes() {
    return engine
        .docker()
        .listVolumesCmd()
        .withFilter("label", List.of(CarriedBoxd.LABEL))
        .exec()
        .getVolumes()
        .stream()
        .map(one -> one.getName())
        .toList();
  }

  private ProvisionRequest request(HostRef host, Mount... mounts) {
    ProvisionRequest here =
        requests.with(requests.identity(), SandboxRequests.spec(SandboxRequests.IMAGE, mounts));
    return ProvisionRequest.of(here.identity(), here.spec(), host, here.daemon())
        .withUid(here.uid().orElseThrow());
  }

  private List<HostRef> hosts() throws IOException {
    return List.of(machine.host(Map.of()), door.host(Map.of()));
  }

  private ExtensionException failure(HostRef host, Mount... mounts) {
    ExtensionException failure =
        catchThrowableOfType(
            ExtensionException.class,
            () -> extension.provision(request(host, mounts), new PatientCall(host)));
    assertThat(failure).isNotNull();
    assertThat(failure.outcome()).as("%s", failure).isEqualTo(Outcome.NOTHING_CREATED);
    return failure;
  }

  /** The names of the checks, with - before the one that failed. */
  private List<String> steps(HostRef host) {
    Probing.Probe probe = ((Probing) extension).probe(host, new PatientCall(host));
    return probe.checks().stream().map(one -> (one.ok() ? "" : "-") + one.name()).toList();
  }

  private static ByteStreamOpener opener(Reachability reached) {
    if (reached.dataplane() instanceof DataplaneAddress.Streams(ByteStreamOpener opener)) {
      return opener;
    }
    throw new AssertionError("no streams: " + reached);
  }

  @Test
  void runsCommandsAndLeavesNothing() throws Exception {
    for (HostRef host : hosts()) {
      PatientCall call = new PatientCall(host);
      ProvisionRequest request = request(host);
      SandboxHandle handle = extension.provision(request, call);
      Reachability reached = extension.waitReady(handle, call);
      try (Inhabitant inside = Inhabitant.enter(reached, key, request.identity())) {
        assertThat(inside.sh("id -u; hostname; cat /etc/hosts; ls -A /.sandboxer").out())
            .startsWith(request.uid().orElseThrow() + "\nsandbox\n127.0.0.1\tlocalhost\n")
            .endsWith("boxd\n");
        assertThat(inside.sh("echo x >/.sandboxer/boxd").err()).contains("can't create");
      }
      assertThat(extension.inventory(new InventoryQuery(host, null), call).objects())
          .singleElement()
          .satisfies(one -> assertThat(one.identity()).isEqualTo(request.identity()));
      assertThat(
              extension.teardown(new TeardownTarget.ByIdentity(request.identity()), call).clean())
          .isTrue();
      assertThat(extension.inspect(handle, call)).isInstanceOf(Inspection.Gone.class);
      assertThat(engine.of(platform.installation())).isEmpty();
      assertThat(carriers()).isEmpty();
    }
    assertThat(volumes()).singleElement().asString().startsWith("sandboxer-boxd-");
    assertThat(images()).isEqualTo(images);
    try (Stream<Path> left = Files.list(platform.runFolder())) {
      assertThat(left).isEmpty();
    }
  }

  private List<Container> carriers() {
    return engine
        .docker()
        .listContainersCmd()
        .withShowAll(true)
        .withLabelFilter(List.of(CarriedBoxd.LABEL))
        .exec();
  }

  /** Those without a name, which nobody wants. */
  private List<String> images() {
    return engine.docker().listImagesCmd().withDanglingFilter(true).exec().stream()
        .map(one -> one.getId())
        .toList();
  }

  /** As an operator who tidies up may do, while a sandbox runs. */
  @Test
  void bringsBoxdAgainWhereItsVolumeIsGone() throws Exception {
    HostRef host = door.host(Map.of());
    PatientCall call = new PatientCall(host);
    SandboxHandle first = extension.provision(request(host), call);
    volumes().forEach(name -> engine.docker().removeVolumeCmd(name).exec());
    SandboxHandle second = extension.provision(request(host), call);
    for (SandboxHandle handle : List.of(first, second)) {
      try (ByteStream stream = opener(extension.waitReady(handle, call)).open(call)) {
        assertThat(stream.closeOutput()).isTrue();
      }
    }
  }

  /** While it is being brought for the first time, which others may be waiting for. */
  @Test
  void aCancelledCreateLeavesNothing() throws Exception {
    Path socket = home.resolve("flaky.sock");
    try (FlakyEngine flaky = new FlakyEngine(socket, DockerPlatform.socket());
        TlsDoor slow = new TlsDoor(home.resolve("slow"), socket)) {
      CancellableCall call = new CancellableCall(slow.host(Map.of()));
      flaky.around("POST .*/containers/create.*", call::cancel, () -> {});
      ExtensionException failure =
          catchThrowableOfType(
              ExtensionException.class, () -> extension.provision(request(call.host()), call));
      assertThat(failure.outcome()).isEqualTo(Outcome.NOTHING_CREATED);
      assertThat(failure).hasMessageContaining("cancelled");
      await().until(() -> carriers().isEmpty() && images().equals(images));
    }
    assertThat(engine.of(platform.installation())).isEmpty();
  }

  /** What a killed platform left in the middle of bringing it. */
  @Test
  void completesABoxdThatIsNotWhole() throws Exception {
    HostRef host = door.host(Map.of());
    PatientCall call = new PatientCall(host);
    extension.provision(request(host), call);
    Path binary =
        Path.of(engine.docker().inspectVolumeCmd(volumes().getFirst()).exec().getMountpoint())
            .resolve("boxd");
    Files.delete(binary);
    try (SandboxExtension restarted =
        new DockerProvider().create(new ExtensionConfig(Map.of()), platform)) {
      SandboxHandle handle = restarted.provision(request(host), call);
      assertThat(restarted.waitReady(handle, call).dataplane()).isNotNull();
    }
  }

  /** A kept connection serves many requests; each way ends by itself; a cancel unblocks. */
  @Test
  void streamsEndAsTheyShould() throws Exception {
    for (HostRef host : hosts()) {
      PatientCall call = new PatientCall(host);
      SandboxHandle handle = extension.provision(request(host), call);
      ByteStreamOpener opener = opener(extension.waitReady(handle, call));
      assertThat(opener).isEqualTo(opener(extension.waitReady(handle, call)));
      try (ByteStream stream = opener.open(call)) {
        for (int i = 0; i < 3; i++) {
          assertThat(health(stream)).contains("\"sandbox_id\"");
        }
        stream.closeOutput();
        assertThat(stream.read(ByteBuffer.allocate(10))).isEqualTo(-1);
      }
      ByteStream blocked = opener.open(call);
      Thread closer =
          Thread.ofVirtual()
              .start(
                  () -> {
                    await().until(() -> processes(handle) > 1);
                    blocked.close();
                  });
      assertThat(
              catchThrowableOfType(IOException.class, () -> blocked.read(ByteBuffer.allocate(1))))
          .isNotNull();
      closer.join();
      await().untilAsserted(() -> assertThat(processes(handle)).isEqualTo(1));
    }
  }

  private static String health(ByteStream stream) throws IOException {
    stream.write(
        ByteBuffer.wrap(
            "GET /v1/health HTTP/1.1\r\nHost: boxd\r\n\r\n".getBytes(StandardCharsets.US_ASCII)));
    StringBuilder answer = new StringBuilder();
    ByteBuffer part = ByteBuffer.allocateDirect(1000);
    while (answer.indexOf("}") < 0 && stream.read(part.clear()) > 0) {
      answer.append(StandardCharsets.US_ASCII.decode(part.flip()));
    }
    return answer.toString();
  }

  /** In the container, by the Engine's word. */
  private int processes(SandboxHandle handle) {
    String name = handle.data().replaceAll(".*\"container\":\"([0-9a-f]+)\".*", "$1");
    return engine.docker().topContainerCmd(name).exec().getProcesses().length;
  }

  @Test
  void refusesWhatIsOnThisMachineAlone() throws Exception {
    Path folder = Files.createDirectories(home.resolve("data"));
    for (Mount mount :
        List.of(
            new Mount.HostFolder(folder.toString(), "/data", false),
            new Mount.Volume("data", "/data", true))) {
      ExtensionException failure = failure(door.host(Map.of()), mount);
      assertThat(failure.code()).isEqualTo(ErrorCode.UNSUPPORTED);
      assertThat(failure).hasMessageContaining("/data").hasMessageContaining("another machine");
    }
  }

  @Test
  void saysWhatIsWrongWithTheWayBySsh() throws Exception {
    Map<String, HostRef> wrong = new TreeMap<>();
    Path other = machine.server.newKey("other", "ed25519", "");
    wrong.put("AUTHORIZATION [-ssh] ", machine.host(Map.of("key_file", other.toString())));
    wrong.put(
        "AUTHORIZATION [-ssh] but the known one is",
        machine.host(Map.of("host_key", List.of("SHA256:" + "A".repeat(43)))));
    wrong.put(
        "UNAVAILABLE [ssh, -socket] there is no socket at /nowhere/d.sock",
        machine.host(Map.of("docker_socket", "/nowhere/d.sock")));
    wrong.put("AUTHORIZATION [-host_key] " + machine.server.fingerprint(), without("host_key"));
    wrong.put("VALIDATION [-settings] no private key", without("key_file"));
    machineThatForwardsNothing(
        host -> check("UNAVAILABLE [ssh, -socket] AllowStreamLocalForwarding", host));
    wrong.forEach(this::check);
    List<ProcessHandle> sessions = machine.server.sessions();
    machine.server.stop();
    sessions.forEach(ProcessHandle::destroyForcibly);
    check("UNAVAILABLE [-ssh] there is no SSH connection", machine.host(Map.of()));
    machine.server.start();
  }

  @Test
  void saysThatTheSocketMayNotBeUsed() throws Exception {
    Path folder = Files.createTempDirectory(Path.of("/tmp"), "sbxs");
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    Path socket = folder.resolve("s");
    SshServer.View view = new SshServer.View("deploy:x:60101:60101::/tmp:/bin/sh", "", List.of());
    try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        SshMachine ordinary = new SshMachine(new SshServer(folder.resolve("ssh"), view))) {
      listener.bind(UnixDomainSocketAddress.of(socket));
      Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString("rw-------"));
      HostRef host = ordinary.host(Map.of("docker_socket", socket.toString()));
      check(
          "AUTHORIZATION [ssh, -socket] user deploy may not use the socket",
          new HostRef(host.id(), host.address().replaceFirst("//.*@", "//deploy@"))
              .withSettings(host.settings()));
    }
  }

  private HostRef without(String setting) throws IOException {
    HostRef host = machine.host(Map.of());
    Map<String, Object> settings = new TreeMap<>(host.settings());
    settings.remove(setting);
    return host.withSettings(settings);
  }

  private interface Use {
    void of(HostRef host) throws Exception;
  }

  private void machineThatForwardsNothing(Use use) throws Exception {
    try (SshMachine closed =
        new SshMachine(home.resolve("closed"), "AllowStreamLocalForwarding no")) {
      use.of(closed.host(Map.of()));
    }
  }

  /** A code, the steps of the probe, and a part of the message. */
  private void check(String expected, HostRef host) {
    int steps = expected.indexOf('[');
    int text = expected.indexOf("] ") + 2;
    ExtensionException failure = failure(host);
    assertThat(failure).hasMessageContaining(expected.substring(text));
    assertThat(failure.code() + " " + steps(host))
        .as("%s", failure)
        .isEqualTo(expected.substring(0, steps) + expected.substring(steps, text - 1));
  }

  @Test
  void saysWhatIsWrongWithTheWayByTls() throws Exception {
    Certificates others = new Certificates(home.resolve("others"));
    String stranger = others.client("stranger").toString();
    check(
        "AUTHORIZATION [connect, -tls] is not signed by settings.ca_file",
        door.host(Map.of("ca_file", others.authority().toString())));
    HostRef refused =
        door.host(
            Map.of("certificate_file", stranger, "key_file", others.key("stranger").toString()));
    // Its reason is lost where its connection ends before it was read.
    assertThat(failure(refused))
        .hasMessageContaining("refuses our certificate, settings.certificate_file");
    assertThat(steps(refused)).isEqualTo(List.of("connect", "-tls"));
    check(
        "VALIDATION [-settings] do not go together",
        door.host(Map.of("certificate_file", stranger)));
    check(
        "VALIDATION [-settings] do not go together",
        door.host(Map.of("certificate_file", others.authority().toString())));
    check(
        "VALIDATION [-settings] is not a private key in PEM",
        door.host(Map.of("key_file", stranger)));
    for (String setting : List.of("ca_file", "certificate_file", "key_file")) {
      Map<String, Object> settings = new TreeMap<>(door.host(Map.of()).settings());
      settings.remove(setting);
      check(
          "VALIDATION [-settings] settings." + setting + " is missing",
          door.host(Map.of()).withSettings(settings));
    }
    check(
        "VALIDATION [-settings] plain TCP is never used",
        new HostRef("plain", "tcp://127.0.0.1:2375"));
    check("UNSUPPORTED [-settings] tcp://host[:port]", new HostRef("web", "http://127.0.0.1:2375"));
    HostRef good = door.host(Map.of());
    door.close();
    check("UNAVAILABLE [-connect] nobody answers at 127.0.0.1:" + door.port(), good);
  }

  /** Also with a key in an older form. */
  @Test
  void triesEachStepOfTheWay() throws Exception {
    Path old = door.certificates.key("client").resolveSibling("client-old.pem");
    assertThat(steps(door.host(Map.of("key_file", old.toString()))))
        .startsWith("connect", "tls", "engine")
        .endsWith("container");
    assertThat(steps(machine.host(Map.of())))
        .startsWith("ssh", "socket", "engine")
        .endsWith("container");
    assertThat(images()).isEqualTo(images);
  }

  @Test
  void saysThatACertificateIsForAnotherNameOrOver() throws Exception {
    Path socket = DockerPlatform.socket();
    Instant later = Instant.now().plusSeconds(3600);
    try (TlsDoor named = new TlsDoor(home.resolve("named"), socket, "build-1.example.com", later);
        TlsDoor over =
            new TlsDoor(home.resolve("over"), socket, TlsDoor.HOST, later.minusSeconds(7200))) {
      check("AUTHORIZATION [connect, -tls] 127.0.0.1", named.host(Map.of()));
      check("AUTHORIZATION [connect, -tls] NotAfter", over.host(Map.of()));
    }
  }

  /** An Engine that listens to everybody. */
  @Test
  void neverSpeaksPlainTcp() throws Exception {
    try (PlainDoor plain = new PlainDoor()) {
      HostRef host = door.host(Map.of());
      check(
          "UNAVAILABLE [connect, -tls] plain TCP is never used",
          new HostRef("plain", "tcp://127.0.0.1:" + plain.port()).withSettings(host.settings()));
      assertThat(plain.received()).doesNotContain("HTTP");
    }
  }

  /** The connection breaks while a sandbox runs; the next stream makes another one. */
  @Test
  void goesOnAfterALostConnection() throws Exception {
    HostRef host = machine.host(Map.of());
    PatientCall call = new PatientCall(host);
    SandboxHandle handle = extension.provision(request(host), call);
    ByteStreamOpener opener = opener(extension.waitReady(handle, call));
    try (ByteStream stream = opener.open(call)) {
      machine.server.sessions().forEach(ProcessHandle::destroyForcibly);
      assertThat(catchThrowableOfType(IOException.class, () -> stream.read(ByteBuffer.allocate(1))))
          .isNotNull();
    }
    await().untilAsserted(() -> assertThat(processes(handle)).isEqualTo(1));
    try (ByteStream stream = opener.open(call)) {
      assertThat(health(stream)).contains("\"sandbox_id\"");
    }
  }
}
