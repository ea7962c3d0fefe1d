package dev.sandboxer.ext.e2b;

import static dev.sandboxer.ext.e2b.Scene.failure;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sandboxer.ext.e2b.cloud.Access;
import dev.sandboxer.ext.e2b.cloud.Account;
import dev.sandboxer.ext.e2b.cloud.ControlPlane;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Inspection;
import dev.sandboxer.spi.InventoryPage;
import dev.sandboxer.spi.InventoryQuery;
import dev.sandboxer.spi.Lifetime;
import dev.sandboxer.spi.Outcome;
import dev.sandboxer.spi.Probing;
import dev.sandboxer.spi.SandboxHandle;
import dev.sandboxer.spi.SandboxIdentity;
import dev.sandboxer.spi.TeardownTarget;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A cloud that refuses, fails, loses and lies. Each case says so clearly and ends with nothing that
 * is still paid for, which {@link Scene} looks at.
 */
class FaultyCloudIT {

  private static final String CREATE = "POST /v2/sandboxes";
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  @TempDir private Path folder;

  private static void requireNothing(ExtensionException failed, ErrorCode code, String... words) {
    assertThat(failed.code()).as(failed.getMessage()).isEqualTo(code);
    assertThat(failed.outcome()).isEqualTo(Outcome.NOTHING_CREATED);
    assertThat(failed.getMessage()).contains(words);
  }

  @Test
  void aWrongKeyIsRefusedAndNamed() throws Exception {
    try (Scene scene = new Scene(folder)) {
      SandboxIdentity identity = scene.identity();
      SandboxHandle handle = scene.provision(identity);
      var right = scene.host;
      scene.host = right.withCredentials(Map.of("api_key", "e2b_wrong"));
      requireNothing(
          failure(() -> scene.provision(scene.identity())),
          ErrorCode.AUTHORIZATION,
          "api_key",
          "rented");
      assertThat(scene.inspect(handle)).isInstanceOf(Inspection.Unknown.class);
      assertThat(failure(() -> scene.teardown(identity)).code()).isEqualTo(ErrorCode.AUTHORIZATION);
      Probing.Probe probe = ((Probing) scene.extension).probe(scene.host, scene.call());
      assertThat(probe.usable()).isFalse();
      assertThat(probe.checks().getFirst().name()).isEqualTo("key");
      assertThat(probe.toString()).doesNotContain("e2b_wrong");
      scene.host = right.withCredentials(Map.of());
      requireNothing(
          failure(() -> scene.provision(scene.identity())),
          ErrorCode.AUTHORIZATION,
          "no API key",
          "--credential");
      scene.host = right;
      assertThat(((Probing) scene.extension).probe(scene.host, scene.call()).usable()).isTrue();
    }
  }

  @Test
  void aTemplateThatIsMissingOrTooLargeIsRefused() throws Exception {
    try (Scene scene = new Scene(folder)) {
      SandboxIdentity identity = scene.identity();
      requireNothing(
          failure(
              () ->
                  scene.extension.provision(
                      scene.request(identity, Map.of("template", "nope")), scene.call())),
          ErrorCode.VALIDATION,
          "template 'nope' not found");
      requireNothing(
          failure(
              () ->
                  scene.extension.provision(
                      scene.request(scene.identity(), Map.of("template", "base")), scene.call())),
          ErrorCode.VALIDATION,
          "2 vCPU where resources.cpus is 1 and 512 MiB where resources.memory is 256");
      assertThat(scene.server.sandboxes()).isEmpty();
      ExtensionException user =
          failure(
              () ->
                  scene.extension.provision(
                      scene.request(scene.identity(), Map.of("user", "nobody-here")),
                      scene.call()));
      assertThat(user.code()).isEqualTo(ErrorCode.VALIDATION);
      assertThat(user.outcome()).isInstanceOf(Outcome.Created.class);
      assertThat(user.getMessage()).contains("nobody-here", "options.user");
    }
  }

  @Test
  void aRateLimitIsWaitedOutWhereTheCallLastsAndElseCapacity() throws Exception {
    try (Scene scene = new Scene(folder)) {
      scene.server.faults(
          List.of(Map.of("match", CREATE, "status", 429, "retryAfter", "1", "count", 1)));
      SandboxIdentity identity = scene.identity();
      scene.requireServed(identity, scene.provision(identity));
      assertThat(scene.asked(CREATE)).isEqualTo(2);
      scene.server.faults(List.of(Map.of("match", CREATE, "status", 429, "retryAfter", "3600")));
      requireNothing(
          failure(() -> scene.provision(scene.identity())), ErrorCode.CAPACITY, "again in 3600 s");
    }
  }

  @Test
  void aFullAccountIsCapacity() throws Exception {
    try (Scene scene = new Scene(folder, "-max", "1")) {
      SandboxIdentity first = scene.identity();
      var _ = scene.provision(first);
      requireNothing(
          failure(() -> scene.provision(scene.identity())),
          ErrorCode.CAPACITY,
          "maximum number of concurrent");
      assertThat(scene.teardown(first).removed()).hasSize(1);
      SandboxIdentity next = scene.identity();
      scene.requireServed(next, scene.provision(next));
    }
  }

  @Test
  void aServerThatFailsLeavesItOpenWhetherItMadeOne() throws Exception {
    try (Scene scene = new Scene(folder)) {
      scene.server.faults(
          List.of(
              Map.of(
                  "match",
                  CREATE,
                  "status",
                  503,
                  "errorCode",
                  "sandbox_capacity_unavailable",
                  "count",
                  1),
              Map.of("match", CREATE, "status", 503)));
      requireNothing(failure(() -> scene.provision(scene.identity())), ErrorCode.CAPACITY, "503");
      ExtensionException failed = failure(() -> scene.provision(scene.identity()));
      assertThat(failed.code()).isEqualTo(ErrorCode.UNAVAILABLE);
      assertThat(failed.outcome()).isEqualTo(Outcome.UNKNOWN);
    }
  }

  @Test
  void anAnswerThatIsLostIsFoundByItsMetadata() throws Exception {
    try (Scene scene = new Scene(folder, "-list-lag", "2s", "-idempotency=false")) {
      scene.server.faults(List.of(Map.of("match", CREATE, "lose", true, "count", 1)));
      SandboxIdentity identity = scene.identity();
      SandboxHandle handle = scene.provision(identity);
      scene.requireServed(identity, handle);
      assertThat(scene.server.sandboxes()).hasSize(1);
    }
  }

  @Test
  void aKeyGivesTheSameSandboxWhereListsAreTooLate() throws Exception {
    try (Scene scene = new Scene(folder, "-list-lag", "14s")) {
      scene.server.faults(List.of(Map.of("match", CREATE, "lose", true, "count", 1)));
      SandboxIdentity identity = scene.identity();
      assertThat(failure(() -> scene.provision(identity)).outcome()).isEqualTo(Outcome.UNKNOWN);
      scene.restart();
      scene.requireServed(identity, scene.provision(identity));
      assertThat(scene.server.sandboxes()).hasSize(1);
    }
  }

  @Test
  void twoOfOneIdentityAreFoundAndOneIsKept() throws Exception {
    try (Scene scene = new Scene(folder, "-list-lag", "14s", "-idempotency=false")) {
      scene.server.faults(List.of(Map.of("match", CREATE, "lose", true, "count", 1)));
      SandboxIdentity identity = scene.identity();
      assertThat(failure(() -> scene.provision(identity)).outcome()).isEqualTo(Outcome.UNKNOWN);
      String kept = scene.uid(scene.provision(identity));
      assertThat(scene.server.sandboxes()).hasSize(2);
      await()
          .atMost(PATIENCE)
          .until(() -> scene.extension.find(identity, scene.call()).size() == 2);
      assertThat(scene.uid(scene.provision(identity))).isEqualTo(kept);
      assertThat(scene.server.sandboxes()).hasSize(1);
    }
  }

  @Test
  void aSlowCloudIsNotWaitedForAndWhatComesLateIsRemoved() throws Exception {
    try (Scene scene = new Scene(folder)) {
      scene.server.faults(List.of(Map.of("match", CREATE, "afterMs", 4000, "count", 1)));
      SandboxIdentity identity = scene.identity();
      ShortCall call = new ShortCall(scene.host, Duration.ofSeconds(1));
      ExtensionException late =
          failure(() -> scene.extension.provision(scene.request(identity), call));
      assertThat(late.code()).isEqualTo(ErrorCode.TIMEOUT);
      assertThat(late.outcome()).isEqualTo(Outcome.UNKNOWN);
      await().atMost(PATIENCE).until(() -> scene.server.sandboxes().size() == 1);
      assertThat(scene.teardown(identity).removed()).hasSize(1);
    }
  }

  @Test
  void aCloudThatIsGoneIsUnavailableAndComesBack() throws Exception {
    try (Scene scene = new Scene(folder)) {
      SandboxIdentity identity = scene.identity();
      SandboxHandle handle = scene.provision(identity);
      scene.server.stop();
      requireNothing(
          failure(() -> scene.provision(scene.identity())),
          ErrorCode.UNAVAILABLE,
          "cannot be reached");
      assertThat(scene.inspect(handle)).isInstanceOf(Inspection.Unknown.class);
      assertThat(failure(() -> scene.extension.find(identity, scene.call())).code())
          .isEqualTo(ErrorCode.UNAVAILABLE);
      assertThat(failure(() -> scene.teardown(identity)).code()).isEqualTo(ErrorCode.UNAVAILABLE);
      assertThat(((Probing) scene.extension).probe(scene.host, scene.call()).usable()).isFalse();
      scene.server.start();
      assertThat(scene.inspect(handle)).isInstanceOf(Inspection.Gone.class);
      SandboxIdentity next = scene.identity();
      scene.requireServed(next, scene.provision(next));
    }
  }

  @Test
  void aForgottenSandboxIsGone() throws Exception {
    try (Scene scene = new Scene(folder)) {
      SandboxIdentity identity = scene.identity();
      SandboxHandle handle = scene.provision(identity);
      scene.server.kill(scene.uid(handle));
      assertThat(scene.inspect(handle)).isInstanceOf(Inspection.Gone.class);
      assertThat(failure(() -> scene.uid(handle)).code()).isEqualTo(ErrorCode.CRASH);
      var report =
          scene.extension.teardown(new TeardownTarget.ByHandle(identity, handle), scene.call());
      assertThat(report.clean()).isTrue();
      assertThat(report.removed()).isEmpty();
      scene.requireServed(identity, scene.provision(identity));
    }
  }

  @Test
  void theEndIsMovedNeverBackAndWhatEndsEarlyIsSeen() throws Exception {
    try (Scene scene = new Scene(folder)) {
      SandboxIdentity identity = scene.identity();
      SandboxHandle handle = scene.provision(identity);
      Lifetime lifetime = (Lifetime) scene.extension;
      Instant soon = Instant.now().plusSeconds(600);
      Instant granted = lifetime.extend(handle, soon, scene.call());
      assertThat(granted).isBetween(soon, soon.plusSeconds(5));
      assertThat(lifetime.extend(handle, soon.minusSeconds(300), scene.call())).isEqualTo(granted);
      Instant most = lifetime.extend(handle, Instant.now().plusSeconds(90_000), scene.call());
      assertThat(most).isBetween(Instant.now().plusSeconds(3500), Instant.now().plusSeconds(3605));
      try (ControlPlane owner = new ControlPlane()) {
        owner.setTimeout(
            Account.of(scene.host), scene.uid(handle), Duration.ofSeconds(1), scene.call());
      }
      await().atMost(PATIENCE).until(() -> scene.inspect(handle) instanceof Inspection.Gone);
      assertThat(failure(() -> lifetime.extend(handle, soon, scene.call())).code())
          .isEqualTo(ErrorCode.CRASH);
    }
  }

  @Test
  void anotherCertificateIsRefusedUntilItsAuthorityIsKnown() throws Exception {
    try (Scene scene = new Scene(folder)) {
      Path trusted = folder.resolve("trusted.pem");
      Files.copy(scene.server.authority(), trusted);
      scene.host = Accounts.named(scene.server, Map.of("ca_file", trusted.toString()));
      SandboxIdentity identity = scene.identity();
      SandboxHandle handle = scene.provision(identity);
      scene.server.renewCertificate();
      scene.restart();
      requireNothing(
          failure(() -> scene.provision(scene.identity())),
          ErrorCode.UNAVAILABLE,
          "certificate",
          "settings.ca_file");
      assertThat(scene.inspect(handle)).isInstanceOf(Inspection.Unknown.class);
      replace(scene.server.authority(), trusted);
      scene.requireServed(identity, handle);
    }
  }

  private static void replace(Path from, Path to) throws IOException {
    Files.copy(from, to, StandardCopyOption.REPLACE_EXISTING);
  }

  @Test
  void envdMayDieAndBoxdGoesOn() throws Exception {
    try (Scene scene = new Scene(folder)) {
      SandboxIdentity identity = scene.identity();
      SandboxHandle handle = scene.provision(identity);
      String uid = scene.uid(handle);
      run(scene, uid, "kill -9 $PPID");
      await()
          .atMost(PATIENCE)
          .untilAsserted(
              () -> assertThat(scene.inspect(handle)).isInstanceOf(Inspection.Running.class));
      scene.requireServed(identity, handle);
      assertThat(scene.teardown(identity).removed()).containsExactly(uid);

      SandboxIdentity second = scene.identity();
      SandboxHandle both = scene.provision(second);
      run(scene, scene.uid(both), "pkill -9 -x boxd; kill -9 $PPID");
      await()
          .atMost(PATIENCE)
          .until(
              () ->
                  scene.inspect(both) instanceof Inspection.Ended ended
                      && ended.reason() == ErrorCode.CRASH);
      assertThat(failure(() -> scene.uid(both)).outcome()).isInstanceOf(Outcome.Created.class);
      scene.requireServed(second, scene.provision(second));
    }
  }

  /** In the sandbox, as root; what kills envd gets no answer. */
  private static void run(Scene scene, String uid, String script) throws ExtensionException {
    Account account = Account.of(scene.host);
    try (ControlPlane cloud = new ControlPlane()) {
      Access access =
          cloud.connect(account, uid, Duration.ofSeconds(60), scene.call()).orElseThrow();
      var _ =
          failure(() -> cloud.envd().run(account, access, "root", script, List.of(), scene.call()));
    }
  }

  @Test
  void anEnvdThatFailsMeanwhileLeavesAHandle() throws Exception {
    try (Scene scene = new Scene(folder)) {
      for (String step : List.of("POST /files", "POST /process.Process/Start")) {
        scene.server.faults(List.of(Map.of("match", step, "cut", true, "count", 1)));
        SandboxIdentity identity = scene.identity();
        ExtensionException failed = failure(() -> scene.provision(identity));
        assertThat(failed.code()).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(failed.outcome()).isInstanceOf(Outcome.Created.class);
        scene.requireServed(identity, scene.provision(identity));
        assertThat(scene.teardown(identity).removed()).hasSize(1);
      }
      assertThat(scene.server.sandboxes()).isEmpty();
    }
  }

  @Test
  void anOlderServerIsAskedByItsOwnRoutes() throws Exception {
    try (Scene scene = new Scene(folder)) {
      scene.server.faults(List.of(Map.of("match", "POST /v2/sandboxes", "status", 405)));
      SandboxIdentity identity = scene.identity();
      var _ = scene.provision(identity);
      scene.restart();
      SandboxHandle found = scene.extension.find(identity, scene.call()).getFirst();
      scene.requireServed(identity, found);
    }
  }

  @Test
  void aTeardownThatFailsIsRepeated() throws Exception {
    try (Scene scene = new Scene(folder)) {
      SandboxIdentity identity = scene.identity();
      var _ = scene.provision(identity);
      scene.server.faults(
          List.of(
              Map.of("match", "DELETE /sandboxes", "status", 500, "count", 1),
              Map.of("match", "DELETE /sandboxes", "lose", true, "count", 1)));
      assertThat(failure(() -> scene.teardown(identity)).code()).isEqualTo(ErrorCode.UNAVAILABLE);
      assertThat(failure(() -> scene.teardown(identity)).code()).isEqualTo(ErrorCode.UNAVAILABLE);
      assertThat(scene.teardown(identity).clean()).isTrue();
      assertThat(scene.server.sandboxes()).isEmpty();
    }
  }

  @Test
  void anInventoryGoesOnPageByPage() throws Exception {
    try (Scene scene = new Scene(folder, "-page", "2")) {
      List<SandboxIdentity> made = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        SandboxIdentity identity = scene.identity();
        var _ = scene.provision(identity);
        made.add(identity);
      }
      InventoryPage first = page(scene, null);
      assertThat(first.complete()).isFalse();
      assertThat(first.objects()).hasSize(2);
      InventoryPage last = page(scene, first.nextCursor());
      assertThat(last.complete()).isTrue();
      assertThat(Stream.concat(first.objects().stream(), last.objects().stream()))
          .extracting(InventoryPage.InventoryObject::identity)
          .containsExactlyInAnyOrderElementsOf(made);
    }
  }

  private static InventoryPage page(Scene scene, @Nullable String cursor)
      throws ExtensionException {
    return scene.extension.inventory(new InventoryQuery(scene.host, cursor), scene.call());
  }
}
