package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.testing.client.Api;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;

/**
 * A platform that is killed at each named step. After the restart there is one live object for each
 * live record, and none without.
 */
abstract class Crashes {

  @Parameter Backend backend;

  Platform platform;

  @BeforeAll
  void start() {
    platform = Platform.start(Map.of());
  }

  @AfterAll
  void stop() {
    platform.close();
  }

  /** The next backend finds no sandbox of this one's. */
  @AfterParameterizedClassInvocation
  void destroy() {
    platform.api().destroyAll();
  }

  /** Kills the platform once a call has brought it to a step, and starts it again. */
  void cut(String step, Runnable call) {
    platform.arm(step);
    var cut = CompletableFuture.runAsync(call);
    platform.awaitFailpoint(step);
    platform.kill();
    assertThat(cut.handle((done, e) -> true).join()).isTrue();
    platform.restart(Map.of());
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
    assertThat(platform.sandboxFolders()).isEqualTo(live);
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
