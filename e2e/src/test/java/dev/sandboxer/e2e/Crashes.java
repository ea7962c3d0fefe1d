package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.testing.client.Api;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;

/**
 * A platform that is killed at each named step. After the restart there is one live object for each
 * live record, and none without. One kill cuts off a call at each of several steps: a restart costs
 * more than all else here.
 */
abstract class Crashes {

  @Parameter Backend backend;

  Platform platform;

  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  @BeforeAll
  void start() {
    platform = platform();
  }

  /** A new one. */
  Platform platform() {
    return Platform.start(settings());
  }

  /** Of each start. */
  Map<String, String> settings() {
    return Map.of();
  }

  @AfterAll
  void stop() {
    platform.close();
    threads.shutdownNow();
  }

  /** The next backend finds no sandbox of this one's. */
  @AfterParameterizedClassInvocation
  void destroy() {
    platform.api().destroyAll();
  }

  /** A call, and the step at which it stops. */
  record Cut(String step, Runnable call) {}

  /**
   * Has each call stop at its step, one after the other, kills the platform there, and starts it
   * again. What is still running of one call must not come to the step of a later one: name late
   * steps first.
   */
  void cut(List<Cut> cuts) {
    List<CompletableFuture<Void>> calls = new ArrayList<>();
    for (Cut cut : cuts) {
      platform.arm(cut.step());
      calls.add(CompletableFuture.runAsync(cut.call(), threads));
      platform.awaitFailpoint(cut.step());
    }
    platform.kill();
    for (CompletableFuture<Void> call : calls) {
      assertThat(call.handle((done, e) -> true).join()).isTrue();
    }
    platform.restart(settings());
  }

  /** Kills the platform at each step of one piece of work, which each start goes on with. */
  void cutInTurn(List<String> steps, Runnable call) {
    platform.arm(steps.getFirst());
    call.run();
    for (String step : steps) {
      platform.arm(step); // long before a process that was just started has got so far
      platform.awaitFailpoint(step);
      platform.kill();
      platform.beginAgain(settings());
    }
    platform.awaitReady();
  }

  /**
   * Deletes them all and waits until they are gone: where a call to Docker was cut off, that is a
   * minute later.
   */
  void destroy(Api api, List<String> ids) {
    for (String id : ids) {
      assertThat(api.delete("/v1/sandboxes/" + id).status()).isIn(200, 202);
    }
    for (String id : ids) {
      await(id)
          .atMost(Duration.ofMinutes(3))
          .until(() -> api.get("/v1/sandboxes/" + id).field("/state").equals("destroyed"));
    }
  }

  /** And none without: neither a jail nor a process nor a file. */
  void oneObjectForEachLiveRecord(Api api) {
    Set<String> live = new TreeSet<>();
    for (JsonNode record : api.get("/v1/sandboxes?limit=1000").json().path("items")) {
      String id = record.path("id").asText();
      if (record.path("destroyed_at").isNull()) {
        assertThat(backend.objectsOf(id)).as(record.toString()).hasSize(1);
        live.addAll(backend.objectsOf(id));
      } else {
        assertThat(backend.objectsOf(id)).as(record.toString()).isEmpty();
        assertThat(backend.processesOf(id)).as(record.toString()).isEmpty();
      }
    }
    assertThat(platform.sandboxFolders()).isEqualTo(backend.withFolder(live));
  }

  /** Each transition was written once, in order; use and pulls are no part of what is killed. */
  static void tellsItOnce(Api api, String id, String... life) {
    List<String> types = new ArrayList<>();
    long seq = 0;
    for (JsonNode event : api.get("/v1/sandboxes/" + id + "/events").json().path("items")) {
      assertThat(event.path("seq").asLong()).isEqualTo(++seq);
      String type = event.path("type").asText().replace("sandbox.", "");
      if (!Set.of("active", "image_pull").contains(type)) {
        types.add(type);
      }
    }
    assertThat(types).containsExactly(life);
  }
}
