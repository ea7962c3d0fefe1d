package dev.sandboxer.ext.k8s;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sandboxer.spi.CleanupReport;
import dev.sandboxer.spi.Daemon;
import dev.sandboxer.spi.ExtensionConfig;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.HostRef;
import dev.sandboxer.spi.InventoryPage;
import dev.sandboxer.spi.InventoryQuery;
import dev.sandboxer.spi.IsolationLevel;
import dev.sandboxer.spi.Probing;
import dev.sandboxer.spi.ProvisionRequest;
import dev.sandboxer.spi.Reachability;
import dev.sandboxer.spi.Resources;
import dev.sandboxer.spi.SandboxExtension;
import dev.sandboxer.spi.SandboxHandle;
import dev.sandboxer.spi.SandboxIdentity;
import dev.sandboxer.spi.SandboxSpec;
import dev.sandboxer.spi.SandboxSpecBuilder;
import dev.sandboxer.spi.TeardownTarget;
import dev.sandboxer.testing.PatientCall;
import dev.sandboxer.testing.TestPlatform;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A platform with the extension and one cluster. */
final class Scene {

  private static final int FIRST_UID = 2_000_000;
  private static final int UIDS = 60_000;

  final TestPlatform platform;
  final SandboxExtension extension;
  final HostRef host;
  private final TestCluster cluster;

  Scene(Path home, TestCluster cluster) throws IOException, ExtensionException {
    this(home, cluster, cluster.host(), "missing");
  }

  Scene(Path home, TestCluster cluster, HostRef host, String pull)
      throws IOException, ExtensionException {
    this(new TestPlatform(home, Map.of()), cluster, host, pull);
  }

  Scene(TestPlatform platform, TestCluster cluster, HostRef host, String pull)
      throws ExtensionException {
    this.platform = platform;
    this.cluster = cluster;
    this.host = host;
    this.extension = new K8sProvider().create(new ExtensionConfig(Map.of("pull", pull)), platform);
  }

  PatientCall call() {
    return new PatientCall(host);
  }

  SandboxIdentity identity() {
    String id = "t" + UUID.randomUUID().toString().replace("-", "").substring(0, 19);
    return new SandboxIdentity(platform.installation(), id, 1, 1);
  }

  String pod(SandboxIdentity identity) {
    return "sandboxer-%s-%s".formatted(platform.installation().substring(0, 8), identity.name());
  }

  ProvisionRequest request(SandboxIdentity identity) {
    return request(identity, 256L << 20, spec -> spec);
  }

  ProvisionRequest request(
      SandboxIdentity identity, long memory, UnaryOperator<SandboxSpecBuilder> change) {
    Resources resources = new Resources(new BigDecimal("0.5"), memory, 64, 4L << 20, 1L << 20, 256);
    SandboxSpecBuilder spec =
        SandboxSpec.builder(
                "profile.test", 1, IsolationLevel.CONTAINER, resources, Duration.ofHours(1))
            .image(TestCluster.IMAGE);
    byte[] config =
        """
        {"installation":"%s","sandbox_id":"%s","generation":1,"issuer":"urn:sandboxer:x","deadline_seconds":600,
         "keys":{"keys":[{"kty":"EC","crv":"P-256","kid":"t","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}]}}
        """
            .formatted(identity.installation(), identity.publicId())
            .getBytes(UTF_8);
    return ProvisionRequest.of(
            identity,
            change.apply(spec).build(),
            host,
            new Daemon(platform::boxd, List.of("serve"), config))
        .withUid(uid(identity));
  }

  static int uid(SandboxIdentity identity) {
    return FIRST_UID + Math.floorMod(identity.hashCode(), UIDS);
  }

  SandboxHandle provision(SandboxIdentity identity) throws ExtensionException {
    return extension.provision(request(identity), call());
  }

  Reachability ready(SandboxHandle handle) throws ExtensionException {
    return extension.waitReady(handle, call());
  }

  /** How provision, or else waiting for it, fails. */
  ExtensionException failure(ProvisionRequest request) {
    ExtensionException failure =
        catchThrowableOfType(
            ExtensionException.class,
            () -> {
              SandboxHandle handle = extension.provision(request, call());
              ready(handle);
            });
    assertThat(failure).isNotNull();
    return failure;
  }

  ExtensionException failure() {
    return failure(request(identity()));
  }

  CleanupReport teardown(SandboxIdentity identity) throws ExtensionException {
    return extension.teardown(new TeardownTarget.ByIdentity(identity), call());
  }

  /** The checks that failed, with what to do. */
  Map<String, String> wrong() {
    Probing.Probe probe = ((Probing) extension).probe(host, call());
    Map<String, String> wrong = new TreeMap<>();
    for (Probing.Check check : probe.checks()) {
      if (!check.ok()) {
        wrong.put(check.name(), check.detail() + " -> " + check.remedy());
      }
    }
    assertThat(probe.usable()).isEqualTo(wrong.isEmpty());
    return wrong;
  }

  int listed() throws ExtensionException {
    int count = 0;
    for (InventoryPage page = page(null); ; page = page(page.nextCursor())) {
      count += page.objects().size();
      if (page.nextCursor() == null) {
        assertThat(page.complete()).isTrue();
        return count;
      }
    }
  }

  private InventoryPage page(@Nullable String cursor) throws ExtensionException {
    return extension.inventory(new InventoryQuery(host, cursor), call());
  }

  /** What a script writes in the sandbox, as root of the cluster sees it. */
  String in(SandboxIdentity identity, String script) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (var running =
        cluster
            .admin
            .pods()
            .inNamespace(cluster.namespace)
            .withName(pod(identity))
            .inContainer("sandbox")
            .writingOutput(out)
            .writingError(out)
            .exec("/bin/sh", "-c", script)) {
      var _ = running.exitCode().get(60, TimeUnit.SECONDS);
      return out.toString(UTF_8).strip();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  Pod seen(SandboxIdentity identity) {
    return cluster.admin.pods().inNamespace(cluster.namespace).withName(pod(identity)).get();
  }

  /** Pods and policies of the installation, whoever asks. */
  int traces() {
    return cluster
            .admin
            .pods()
            .inNamespace(cluster.namespace)
            .withLabel("dev.sandboxer/installation", platform.installation())
            .list()
            .getItems()
            .size()
        + cluster
            .admin
            .network()
            .networkPolicies()
            .inNamespace(cluster.namespace)
            .withLabel("dev.sandboxer/installation", platform.installation())
            .list()
            .getItems()
            .size();
  }
}
