package dev.sandboxer.ext.e2b;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.InventoryPage;
import dev.sandboxer.spi.InventoryQuery;
import dev.sandboxer.spi.ProvisionRequest;
import dev.sandboxer.spi.SandboxExtension;
import dev.sandboxer.spi.SandboxIdentity;
import dev.sandboxer.spi.TeardownTarget;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Creates that are cut off at any moment, by a cloud that fails at any step. What is left is found
 * by the inventory alone. The system property {@code sandboxer.e2b.runs} says how many, {@code
 * sandboxer.e2b.seed} where they begin.
 */
class SeededRunsIT {

  private static final int RUNS = Integer.getInteger("sandboxer.e2b.runs", 40);
  private static final long SEED = Long.getLong("sandboxer.e2b.seed", 1);
  private static final int BETWEEN_SWEEPS = 10;
  private static final int LATEST_MILLIS = 500;
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private static final List<String> STEPS =
      List.of(
          "GET /v2/sandboxes",
          "POST /v2/sandboxes",
          "GET /sandboxes/",
          "POST /files",
          "POST /process.Process/Start",
          "DELETE /sandboxes/");

  @TempDir private Path folder;

  @Test
  void whatIsCutOffIsFoundByTheInventory() throws Exception {
    try (Scene scene = new Scene(folder, "-max", "100", "-list-lag", "300ms")) {
      for (int run = 0; run < RUNS; run++) {
        Random random = new Random(SEED + run);
        scene.server.faults(List.of(fault(random), fault(random)));
        cutOff(scene, Duration.ofMillis(random.nextInt(LATEST_MILLIS)));
        if (run % BETWEEN_SWEEPS == BETWEEN_SWEEPS - 1 || run == RUNS - 1) {
          await()
              .atMost(PATIENCE)
              .ignoreExceptionsInstanceOf(ExtensionException.class)
              .untilAsserted(
                  () -> {
                    sweep(scene);
                    assertThat(scene.server.sandboxes()).isEmpty();
                  });
        }
      }
    }
  }

  private static Map<String, Object> fault(Random random) {
    String step = STEPS.get(random.nextInt(STEPS.size()));
    return switch (random.nextInt(5)) {
      case 0 -> Map.of("match", step, "lose", true, "count", 1);
      case 1 -> Map.of("match", step, "cut", true, "count", 1);
      case 2 -> Map.of("match", step, "status", 503, "count", 1);
      case 3 -> Map.of("match", step, "afterMs", random.nextInt(LATEST_MILLIS), "count", 1);
      default -> Map.of("match", "no such step", "cut", true);
    };
  }

  /** As a process that is killed: nobody is left who could clean up. */
  private static void cutOff(Scene scene, Duration moment) throws Exception {
    SandboxIdentity identity = scene.identity();
    ProvisionRequest request = scene.request(identity);
    SandboxExtension extension = scene.extension;
    Thread thread =
        Thread.startVirtualThread(
            () -> {
              try {
                var _ =
                    extension.waitReady(extension.provision(request, scene.call()), scene.call());
              } catch (ExtensionException e) {
                // nobody is there to hear it
              }
            });
    if (!thread.join(moment)) {
      thread.interrupt();
    }
    scene.restart();
    thread.join();
  }

  private static void sweep(Scene scene) throws ExtensionException {
    List<InventoryPage.InventoryObject> all = new ArrayList<>();
    @Nullable String cursor = null;
    do {
      InventoryPage page =
          scene.extension.inventory(new InventoryQuery(scene.host, cursor), scene.call());
      all.addAll(page.objects());
      cursor = page.nextCursor();
    } while (cursor != null);
    for (InventoryPage.InventoryObject one : all) {
      var _ =
          scene.extension.teardown(
              new TeardownTarget.ByHandle(one.identity(), one.handle()), scene.call());
    }
  }
}
