package dev.sandboxer.ext.docker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandboxer.ext.docker.FlakyEngine.Fault;
import dev.sandboxer.spi.ExtensionConfig;
import dev.sandboxer.spi.InventoryQuery;
import dev.sandboxer.spi.SandboxExtension;
import dev.sandboxer.spi.SandboxHandle;
import dev.sandboxer.spi.SandboxIdentity;
import dev.sandboxer.spi.TeardownTarget;
import dev.sandboxer.testing.PatientCall;
import dev.sandboxer.testing.TestPlatform;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The caller is killed before and after each request to the Engine. */
class KilledIT {
  private static final int MOST_REQUESTS = 40;

  @TempDir private Path home;
  private boolean changing;
  private final PatientCall call = new PatientCall();

  @Test
  void aKilledCreateLeavesOneContainerOrNone() throws Exception {
    int killed = 0;
    for (int request = 1; killAt("provision", request, Fault.STALL_BEFORE); request++) {
      killed++;
      assertThat(request).isLessThan(MOST_REQUESTS);
      if (changing) { // after another one is before the next
        killAt("provision", request, Fault.STALL_AFTER);
      }
    }
    // Version, facts, image, create, the image's six paths, start: fewer would test nothing.
    assertThat(killed).isGreaterThanOrEqualTo(11);
  }

  @Test
  void aKilledDeleteIsFinishedByTheNext() throws Exception {
    int killed = 0;
    for (int request = 1; killAt("teardown", request, Fault.STALL_AFTER); request++) {
      killed++;
      assertThat(request).isLessThan(MOST_REQUESTS);
    }
    assertThat(killed).isGreaterThanOrEqualTo(5);
  }

  /** False if the call ended before it came to that request. */
  private boolean killAt(String verb, int request, Fault fault) throws Exception {
    Path folder = Files.createTempDirectory(home, "k");
    Path socket = folder.resolve("e.sock");
    TestPlatform platform = DockerPlatform.of(folder);
    SandboxRequests requests = new SandboxRequests(platform, new BoxdKey());
    SandboxIdentity identity = requests.identity();
    try (FlakyEngine flaky = new FlakyEngine(socket, DockerPlatform.socket());
        TestEngine engine = new TestEngine();
        SandboxExtension next =
            new DockerProvider().create(new ExtensionConfig(Map.of()), platform)) {
      if (verb.equals("teardown")) {
        next.provision(requests.of(identity), call);
      }
      flaky.failAt(".", request, fault);
      Process process = ForkedProvision.start(verb, folder, identity, socket);
      CompletableFuture<Boolean> reached = new CompletableFuture<>();
      Thread.ofVirtual().start(() -> reached.complete(reached(flaky)));
      CompletableFuture.anyOf(reached, process.onExit()).get(60, TimeUnit.SECONDS);
      boolean ended = !reached.isDone();
      int exit = process.destroyForcibly().waitFor();
      assertThat(ended && exit != 0).as(Files.readString(folder.resolve("forked.log"))).isFalse();
      changing = !flaky.requests().getLast().matches("(GET|HEAD) .*");
      check(platform, requests, identity, engine, next);
      flaky.release();
      return !ended;
    }
  }

  private void check(
      TestPlatform platform,
      SandboxRequests requests,
      SandboxIdentity identity,
      TestEngine engine,
      SandboxExtension next)
      throws Exception {
    int left = engine.of(platform.installation()).size();
    assertThat(left).isBetween(0, 1);
    assertThat(next.find(identity, call)).hasSize(left);

    SandboxHandle handle = next.provision(requests.of(identity), call);
    next.waitReady(handle, call);
    assertThat(engine.of(platform.installation())).hasSize(1);

    assertThat(next.teardown(new TeardownTarget.ByIdentity(identity), call).clean()).isTrue();
    assertThat(engine.of(platform.installation())).isEmpty();
    assertThat(next.inventory(new InventoryQuery(SandboxRequests.LOCAL, null), call).objects())
        .isEmpty();
    assertThat(platform.runFolder()).isEmptyDirectory();
  }

  private static boolean reached(FlakyEngine flaky) {
    try {
      flaky.reached().await();
      return true;
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
