package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sandboxer.testing.client.Api;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/**
 * Sandboxes that are deleted while they are created. On Docker it waits a minute for late effects.
 */
@OnEveryBackend
class DeleteInCreateTest {

  @Parameter private Backend backend;

  private Platform platform;
  private Api api;

  @BeforeAll
  void start() {
    platform = Platform.start(Map.of());
    api = platform.api();
  }

  @AfterAll
  void stop() {
    platform.close();
  }

  @Test
  void nothingIsLeft() {
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      String id = api.post("/v1/sandboxes", Api.create(backend.profile())).field("/id");
      assertThat(api.delete("/v1/sandboxes/" + id).status()).isIn(200, 202);
      ids.add(id);
    }
    for (String id : ids) {
      await()
          .atMost(Duration.ofMinutes(3))
          .until(() -> api.get("/v1/sandboxes/" + id).field("/state").equals("destroyed"));
      assertThat(backend.objectsOf(id)).isEmpty();
      assertThat(backend.processesOf(id)).isEmpty();
    }
  }
}
