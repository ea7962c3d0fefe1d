package dev.sandboxer.ext.compose;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sandboxer.spi.Archive;
import dev.sandboxer.spi.Daemon;
import dev.sandboxer.spi.ExtensionConfig;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.HostRef;
import dev.sandboxer.spi.InventoryPage.InventoryObject;
import dev.sandboxer.spi.InventoryQuery;
import dev.sandboxer.spi.IsolationLevel;
import dev.sandboxer.spi.Limit;
import dev.sandboxer.spi.ProvisionRequest;
import dev.sandboxer.spi.Resources;
import dev.sandboxer.spi.SandboxExtension;
import dev.sandboxer.spi.SandboxHandle;
import dev.sandboxer.spi.SandboxIdentity;
import dev.sandboxer.spi.SandboxSpec;
import dev.sandboxer.spi.TeardownTarget;
import dev.sandboxer.testing.PatientCall;
import dev.sandboxer.testing.TestPlatform;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** A platform with the extension and one machine; what it made is removed at its end. */
final class Scene implements AutoCloseable {

  final TestMachine machine;
  final TestPlatform platform;
  final SandboxExtension extension;
  private HostRef host;

  Scene(Path home, Map<String, Object> settings, String... options)
      throws IOException, ExtensionException {
    this(home, new TestMachine(options), settings);
  }

  Scene(Path home, TestMachine machine, Map<String, Object> settings)
      throws IOException, ExtensionException {
    this.machine = machine;
    platform = new TestPlatform(home, Map.of());
    extension =
        new ComposeProvider().create(new ExtensionConfig(Map.of("pull", "never")), platform);
    host = machine.host(settings);
  }

  /** As the operator does once he has compared the server's new key. */
  void repin() throws IOException {
    host = machine.host(Map.of());
  }

  PatientCall call() {
    return new PatientCall(host);
  }

  SandboxIdentity identity() {
    String id = "t" + UUID.randomUUID().toString().replace("-", "").substring(0, 19);
    return new SandboxIdentity(platform.installation(), id, 1, 1);
  }

  ProvisionRequest request(SandboxIdentity identity, Map<String, Object> options) {
    SandboxSpec spec =
        SandboxSpec.builder(
                "profile.test",
                1,
                IsolationLevel.CONTAINER,
                new Resources(BigDecimal.ONE, 256L << 20, 64, 16L << 20, 16L << 20, 256),
                Duration.ofHours(1))
            .bestEffort(Set.of(Limit.UID))
            .options(options)
            .build();
    byte[] config =
        """
        {"installation":"%s","sandbox_id":"%s","generation":1,"issuer":"urn:sandboxer:x","deadline_seconds":600,
         "keys":{"keys":[{"kty":"EC","crv":"P-256","kid":"t","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}]}}
        """
            .formatted(identity.installation(), identity.publicId())
            .getBytes(UTF_8);
    return ProvisionRequest.of(
        identity, spec, host, new Daemon(platform::boxd, List.of("serve"), config));
  }

  /** Makes one of a file that stands in the profile. */
  SandboxHandle provision(SandboxIdentity identity, String file) throws ExtensionException {
    return provision(identity, Map.of("service", "app", "files", Map.of("compose.yaml", file)));
  }

  SandboxHandle provision(SandboxIdentity identity, Map<String, Object> options)
      throws ExtensionException {
    return extension.provision(request(identity, new HashMap<>(options)), call());
  }

  /** The name of a service's container. */
  String container(SandboxIdentity identity, String service) {
    return "sandboxer-%s-%s-%s-1"
        .formatted(platform.installation().substring(0, 8), identity.name(), service);
  }

  /** What a script writes in a service's container. */
  String in(SandboxIdentity identity, String service, String script) {
    return TestMachine.docker("exec", container(identity, service), "sh", "-c", script);
  }

  /** Of a project that the platform has as an archive. */
  ProvisionRequest archived(SandboxIdentity identity, Archive archive) {
    return request(identity, Map.of("service", "app", "project", "sha256:" + "0".repeat(64)))
        .withArchives(Map.of("project", archive));
  }

  List<InventoryObject> inventory() throws ExtensionException {
    return extension.inventory(new InventoryQuery(host, null), call()).objects();
  }

  @Override
  public void close() throws ExtensionException {
    for (InventoryObject left : inventory()) {
      extension.teardown(new TeardownTarget.ByIdentity(left.identity()), call());
    }
    extension.close();
    machine.close();
  }
}
