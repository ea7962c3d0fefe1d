package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.testing.client.Api;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A tenant hears that a quota refused it, though the platform was killed before it could tell. */
class RefusalsTest {

  private static final Map<String, String> NONE_LIVE = Map.of("SANDBOXER_MAX_LIVE", "0");

  @Test
  void aCrashBeforeItIsToldLosesTheNoteAlone() {
    try (Platform platform = Platform.start(NONE_LIVE)) {
      Api before = platform.api();
      platform.arm("quota.refused");
      var cut = CompletableFuture.runAsync(() -> create(before));
      platform.awaitFailpoint("quota.refused");
      platform.kill();
      assertThat(cut.handle((done, e) -> true).join()).isTrue();
      platform.restart(NONE_LIVE);
      Api api = platform.api();
      assertThat(told(api)).isEmpty();
      isRefusal(create(api));
      await().atMost(Duration.ofMinutes(1)).until(() -> !told(api).isEmpty());
      assertThat(told(api))
          .singleElement()
          .satisfies(event -> assertThat(event.path("seq").asLong()).isEqualTo(1));
      checkLine(new Cli(platform), told(api).path(0));
    }
  }

  private static Api.Reply create(Api api) {
    return api.post("/v1/sandboxes", Api.create("local"), "Idempotency-Key", "cut");
  }

  private static void isRefusal(Api.Reply reply) {
    assertThat(reply.status()).as(reply.text()).isEqualTo(429);
    assertThat(reply.code()).isEqualTo("QUOTA_EXCEEDED");
    assertThat(reply.json().has("limit")).isTrue();
  }

  private static JsonNode told(Api api) {
    return api.get("/v1/events").json().path("items");
  }

  private static void checkLine(Cli cli, JsonNode event) {
    Cli.Result log = cli.run("events", "--type", "quota.refused");
    assertThat(log.code()).as(log.err()).isZero();
    assertThat(log.out())
        .contains(event.at("/subject/tenant").asText() + "  quota.refused")
        .contains("profile.local, e2e, the tenant holds 0 sandboxes and may hold 0");
  }
}
