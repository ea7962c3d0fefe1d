package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.testing.client.Api;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;

/** Two nodes with a machine each: what is asked of one may be placed on the other. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class TwoHostsTest {

  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private TwoNodes nodes;
  private Api api;

  @BeforeAll
  void start() {
    nodes = new TwoNodes(_ -> Map.of());
    api = nodes.first().api();
    nodes.profile("on-two", "routing: {candidates: [{extension: ext.nsjail, host: two}]}");
    nodes.profile("either", "routing: {strategy: explicit, candidates: [ext.nsjail]}");
    nodes.profile("two-first", TwoNodes.SECOND_FIRST);
  }

  @AfterAll
  void stop() {
    nodes.close();
  }

  private JsonNode create(String profile) {
    Api.Reply reply = api.post("/v1/sandboxes", Api.create(profile), "Prefer", "wait=60");
    assertThat(reply.status()).as(reply.text()).isEqualTo(201);
    return reply.json();
  }

  private void delete(JsonNode sandbox) {
    String path = "/v1/sandboxes/" + sandbox.path("id").asText();
    api.delete(path);
    await()
        .atMost(PATIENCE)
        .until(() -> api.get(path).json().path("state").asText().equals("destroyed"));
  }

  private String says(JsonNode sandbox) {
    return api.access(sandbox.path("id").asText()).exec("echo", "here").field("/stdout");
  }

  @Test
  @Order(1)
  void whatIsAskedOfOneRunsOnTheOther() {
    JsonNode sandbox = create("on-two");
    assertThat(sandbox.path("host").asText()).isEqualTo("two");
    assertThat(says(sandbox)).isEqualTo("here\n");
    delete(sandbox);
  }

  /** By a notification: with a look once a second, one of five would wait as briefly. */
  @Test
  @Order(1)
  void workForAnotherNodeBeginsAtOnce() {
    List<Long> waits = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      JsonNode sandbox = create("on-two");
      waits.add(waited(sandbox.path("id").asText()).toMillis());
      delete(sandbox);
    }
    assertThat(waits.stream().filter(wait -> wait < 200)).as("%s", waits).hasSizeGreaterThan(9);
  }

  /** From the create's record to the first step of its worker. */
  private Duration waited(String id) {
    Map<String, Instant> times = new HashMap<>();
    for (JsonNode event : api.get("/v1/sandboxes/" + id + "/events").json().path("items")) {
      times.put(event.path("type").asText(), Instant.parse(event.path("occurred_at").asText()));
    }
    return Duration.between(times.get("sandbox.requested"), times.get("sandbox.provisioning"));
  }

  @Test
  @Order(2)
  void equalMachinesBeginWithTheOwn() {
    JsonNode sandbox = create("either");
    assertThat(sandbox.path("host").asText()).isEqualTo("one");
    delete(sandbox);
  }

  @Test
  @Order(3)
  void aDrainedMachinesSandboxMovesToTheOther() {
    JsonNode sandbox = create("two-first");
    assertThat(sandbox.path("host").asText()).isEqualTo("two");
    api.post("/v1/hosts/two/drain", "{\"running\": \"recreate\"}");
    String path = "/v1/sandboxes/" + sandbox.path("id").asText();
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                api.get(path).json().path("host").asText().equals("one")
                    && api.get(path).json().path("state").asText().equals("ready"));
    assertThat(says(sandbox)).isEqualTo("here\n");
    api.post("/v1/hosts/two/uncordon", "{}");
    delete(sandbox);
  }

  @Test
  @Order(4)
  void aNodeThatIsGoneTakesNothing() {
    nodes.second().kill();
    await()
        .atMost(PATIENCE)
        .until(() -> api.get("/v1/hosts/two").json().path("state").asText().equals("unreachable"));
    JsonNode sandbox = create("two-first");
    assertThat(sandbox.path("host").asText()).isEqualTo("one");
    delete(sandbox);
    Api.Reply refused = api.post("/v1/sandboxes", Api.create("on-two"));
    assertThat(refused.status()).as(refused.text()).isEqualTo(503);
    assertThat(refused.text()).contains("is gone");
  }
}
