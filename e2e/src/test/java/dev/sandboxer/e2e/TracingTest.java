package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.testing.client.Api;
import dev.sandboxer.testing.client.Collector;
import dev.sandboxer.testing.client.Trace;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** A request can be followed through a kill of the platform, and into what backends log. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TracingTest {

  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final String SPAN = "b7ad6b7169203331";
  private static final String DELETE = "DELETE /v1/sandboxes/{id}";

  private Collector collector;
  private Platform platform;
  private Api api;

  @BeforeAll
  void start() {
    collector = Collector.start();
    platform = Platform.start(settings());
    api = platform.api();
  }

  @AfterAll
  void stop() {
    platform.close();
    collector.close();
  }

  private Map<String, String> settings() {
    return Map.of("SANDBOXER_OTLP_ENDPOINT", collector.url());
  }

  /** Both stop at their fail points before the one kill. */
  @Test
  void aCreateAndADeleteCutOffByAKillGoOnInTheirTraces() {
    String createTrace = "1af7651916cd43dd8448eb211c80319c";
    String deleteTrace = "6af7651916cd43dd8448eb211c80319c";
    String ended = api.ready().path("id").asText();
    platform.arm("delete.destroying");
    Api.Reply deleted = api.delete("/v1/sandboxes/" + ended, "traceparent", parent(deleteTrace));
    assertThat(deleted.status()).isEqualTo(202);
    platform.awaitFailpoint("delete.destroying");
    platform.arm("create.attempted");
    String made =
        api.post("/v1/sandboxes", Api.create("local"), "traceparent", parent(createTrace))
            .field("/id");
    platform.awaitFailpoint("create.attempted");
    var _ = collector.await(deleteTrace, DELETE, "sandbox.delete");
    var _ = collector.await(createTrace, "POST /v1/sandboxes");
    platform.kill();
    platform.restart(settings());
    api = platform.api();
    assertThat(api.get("/v1/sandboxes/" + made, "Prefer", "wait=60").field("/state"))
        .isEqualTo("ready");
    Trace created = collector.await(createTrace, "sandbox.create");
    assertThat(created.path("extension provision"))
        .containsExactly(
            "extension provision", "sandbox.provision", "sandbox.create", "POST /v1/sandboxes");
    assertThat(Trace.facts(created.span("sandbox.create")).get("sandboxer.claim")).isEqualTo("2");
    assertThat(collector.await(deleteTrace, "sandbox.clean_up").path("extension teardown"))
        .containsExactly("extension teardown", "sandbox.clean_up", DELETE);
  }

  private static String parent(String trace) {
    return "00-" + trace + "-" + SPAN + "-01";
  }

  @Test
  void logLinesSayWhoseTheyAre() {
    String trace = "4af7651916cd43dd8448eb211c80319c";
    String sandbox =
        api.post(
                "/v1/sandboxes",
                Api.create("local"),
                "Prefer",
                "wait=60",
                "traceparent",
                parent(trace),
                "X-Request-Id",
                "req_logged")
            .field("/id");
    for (String word : List.of("jail started", "sandbox established")) {
      JsonNode line = awaitLine(word, "sandbox_id", sandbox);
      assertThat(line.path("request_id").asText()).isEqualTo("req_logged");
      assertThat(line.path("trace_id").asText()).isEqualTo(trace);
      assertThat(line.path("span_id").asText()).hasSize(16);
    }
    String foreign = "sb_aaaaaaaaaaaaaaaaaaaa";
    assertThat(api.get("/dp/" + foreign + "/v1/health", "X-Request-Id", "req_relay").status())
        .isEqualTo(401);
    JsonNode refused = awaitLine("relay refused", "request_id", "req_relay");
    assertThat(refused.path("sandbox_id").asText()).isEqualTo(foreign);
  }

  /** A line may be written after the reply that it is about. */
  private JsonNode awaitLine(String word, String field, String value) {
    return await()
        .atMost(PATIENCE)
        .until(
            () ->
                platform
                    .log()
                    .lines()
                    .filter(line -> line.contains(word))
                    .map(TracingTest::read)
                    .filter(line -> line.path(field).asText().equals(value))
                    .findFirst(),
            Optional::isPresent)
        .orElseThrow();
  }

  private static JsonNode read(String line) {
    try {
      return Api.JSON.readTree(line);
    } catch (JsonProcessingException e) {
      throw new AssertionError(line, e);
    }
  }
}
