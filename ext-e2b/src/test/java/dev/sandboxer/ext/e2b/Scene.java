package dev.sandboxer.ext.e2b;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sandboxer.spi.CleanupReport;
import dev.sandboxer.spi.Daemon;
import dev.sandboxer.spi.DataplaneAddress.HttpsBase;
import dev.sandboxer.spi.ExtensionConfig;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.HostRef;
import dev.sandboxer.spi.Inspection;
import dev.sandboxer.spi.IsolationLevel;
import dev.sandboxer.spi.Limit;
import dev.sandboxer.spi.ProvisionRequest;
import dev.sandboxer.spi.Reachability;
import dev.sandboxer.spi.Resources;
import dev.sandboxer.spi.SandboxExtension;
import dev.sandboxer.spi.SandboxHandle;
import dev.sandboxer.spi.SandboxIdentity;
import dev.sandboxer.spi.SandboxSpec;
import dev.sandboxer.spi.TeardownTarget;
import dev.sandboxer.testing.E2bServer;
import dev.sandboxer.testing.PatientCall;
import dev.sandboxer.testing.TestPlatform;
import java.io.IOException;
import java.math.BigDecimal;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.assertj.core.api.Assertions;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** A platform with the extension and an account. At its end nothing may be left to be paid. */
final class Scene implements AutoCloseable {

  final E2bServer server;
  final TestPlatform platform;
  SandboxExtension extension;
  HostRef host;
  private final List<SandboxIdentity> used = new ArrayList<>();

  Scene(Path folder, String... flags) throws IOException, ExtensionException {
    List<String> all = new ArrayList<>(List.of("-template", Accounts.SMALL + "=1x256"));
    all.addAll(List.of(flags));
    server = new E2bServer(folder.resolve("cloud"), all.toArray(String[]::new));
    platform = new TestPlatform(folder.resolve("home"), Map.of());
    extension = new E2bProvider().create(new ExtensionConfig(Map.of()), platform);
    host = Accounts.named(server, Map.of());
  }

  /** As after a restart of the platform: no connection is open, nothing is remembered. */
  void restart() throws ExtensionException {
    extension.close();
    extension = new E2bProvider().create(new ExtensionConfig(Map.of()), platform);
  }

  PatientCall call() {
    return new PatientCall(host);
  }

  SandboxIdentity identity() {
    String id = "t" + UUID.randomUUID().toString().replace("-", "").substring(0, 19);
    SandboxIdentity identity = new SandboxIdentity(platform.installation(), id, 1, 1);
    used.add(identity);
    return identity;
  }

  ProvisionRequest request(SandboxIdentity identity) {
    return request(identity, Map.of());
  }

  ProvisionRequest request(SandboxIdentity identity, Map<String, Object> options) {
    SandboxSpec spec =
        SandboxSpec.builder(
                "profile.test",
                1,
                IsolationLevel.VM,
                new Resources(BigDecimal.ONE, 256L << 20, 64, 16L << 20, 16L << 20, 256),
                Duration.ofHours(1))
            .bestEffort(EnumSet.of(Limit.PIDS, Limit.WORKSPACE, Limit.TMP, Limit.OPEN_FILES))
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

  SandboxHandle provision(SandboxIdentity identity) throws ExtensionException {
    return extension.provision(request(identity), call());
  }

  /** What boxd answers, through the edge. */
  String health(SandboxHandle handle) throws ExtensionException {
    Reachability reached = extension.waitReady(handle, call());
    HttpsBase base = (HttpsBase) Objects.requireNonNull(reached.dataplane());
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(base.base() + "/v1/health"));
    base.headers().forEach(request::header);
    try (HttpClient client = HttpClient.newBuilder().sslContext(server.trusting()).build()) {
      return client.send(request.build(), BodyHandlers.ofString()).body();
    } catch (IOException | InterruptedException | GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  void requireServed(SandboxIdentity identity, SandboxHandle handle) throws ExtensionException {
    assertThat(health(handle)).contains(identity.publicId());
  }

  String uid(SandboxHandle handle) throws ExtensionException {
    return extension.waitReady(handle, call()).providerUid();
  }

  Inspection inspect(SandboxHandle handle) throws ExtensionException {
    return extension.inspect(handle, call());
  }

  CleanupReport teardown(SandboxIdentity identity) throws ExtensionException {
    return extension.teardown(new TeardownTarget.ByIdentity(identity), call());
  }

  static ExtensionException failure(ThrowingCallable call) {
    return Assertions.catchThrowableOfType(ExtensionException.class, call);
  }

  /** How many requests began with this. */
  long asked(String methodAndPath) {
    long count = 0;
    for (var one : server.log()) {
      if ((one.path("method").asText() + " " + one.path("path").asText())
          .startsWith(methodAndPath)) {
        count++;
      }
    }
    return count;
  }

  /** What the platform does of everything that it ever asked for. */
  @Override
  public void close() throws ExtensionException {
    try {
      server.faults(List.of());
      await()
          .atMost(Duration.ofSeconds(60))
          .untilAsserted(
              () -> {
                for (SandboxIdentity identity : used) {
                  assertThat(teardown(identity).clean()).isTrue();
                }
                assertThat(server.sandboxes()).isEmpty();
              });
    } finally {
      extension.close();
      server.close();
    }
  }
}
