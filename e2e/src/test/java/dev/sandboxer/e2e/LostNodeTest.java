package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.testing.client.Api;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;

/**
 * A node that alone reaches some sandboxes is killed: their profiles decide what follows, a create
 * that was under way continues elsewhere, and once the node is back nothing without a record is
 * left.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class LostNodeTest {

  /** Covers a lease of 30 s, the poll of leases every 2 s, and a create. */
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private TwoNodes nodes;
  private Api api;

  @BeforeAll
  void start() {
    nodes = new TwoNodes(_ -> Map.of());
    api = nodes.first().api();
    nodes.profile("waits", TwoNodes.SECOND_FIRST);
    nodes.profile("moves", TwoNodes.SECOND_FIRST + "\non_lost: recreate\nlost_after: 30s");
    nodes.profile("fails", TwoNodes.SECOND_FIRST + "\non_lost: fail\nlost_after: 30s");
  }

  @AfterAll
  void stop() {
    nodes.close();
  }

  private String create(String profile, int seconds) {
    Api.Reply reply = api.post("/v1/sandboxes", Api.create(profile), "Prefer", "wait=" + seconds);
    assertThat(reply.field("/host")).as(reply.text()).isEqualTo("two");
    return reply.field("/id");
  }

  private JsonNode record(String id) {
    return api.get("/v1/sandboxes/" + id).json();
  }

  private void becomes(String id, String state, String host) {
    await(id + " is " + state + " on " + host)
        .atMost(PATIENCE)
        .until(
            () ->
                record(id).path("state").asText().equals(state)
                    && record(id).path("host").asText().equals(host));
  }

  private List<String> events(String id) {
    List<String> types = new ArrayList<>();
    api.get("/v1/sandboxes/" + id + "/events")
        .json()
        .path("items")
        .forEach(event -> types.add(event.path("type").asText()));
    return types;
  }

  /**
   * The step ends all leases at once, but no node is gone. Runs last: no node can start again on
   * the stepped database.
   */
  @Test
  @Order(2)
  void aStepOfTheClockMovesNothing() {
    String moves = create("moves", 60);
    nodes.database().stepClock("2 minutes");
    await()
        .atMost(PATIENCE)
        .ignoreExceptions()
        .until(
            () ->
                nodes
                    .database()
                    .sql("select bool_and(lease_until > clock_timestamp()) from node")
                    .equals("t"));
    assertThat(record(moves).path("generation").asInt()).isEqualTo(1);
    assertThat(events(moves)).doesNotContain("sandbox.unreachable");
    api.delete("/v1/sandboxes/" + moves);
    becomes(moves, "destroyed", "two");
  }

  @Test
  @Order(1)
  void whatItRanFollowsItsProfiles() {
    String waits = create("waits", 60);
    String moves = create("moves", 60);
    String fails = create("fails", 60);
    Api.Reply kept = api.access(waits).exec("sh", "-c", "echo kept > mark && cat mark");
    assertThat(kept.field("/stdout")).as(kept.text()).isEqualTo("kept\n");
    nodes.second().arm("create.provisioned");
    String cut = create("moves", 0);
    nodes.second().awaitFailpoint("create.provisioned");
    nodes.second().kill();

    becomes(cut, "ready", "one");
    becomes(moves, "ready", "one");
    assertThat(record(moves).path("generation").asInt()).isEqualTo(2);
    becomes(fails, "failed", "two");
    assertThat(record(fails).at("/failure/message").asText()).contains("node two is gone");
    assertThat(record(fails).at("/failure/code").asText()).isEqualTo("UNAVAILABLE");
    becomes(waits, "active", "two");
    assertThat(record(waits).at("/conditions/0/type").asText()).isEqualTo("unreachable");
    for (String id : List.of(waits, moves, fails)) {
      assertThat(events(id)).as(id).containsOnlyOnce("sandbox.unreachable");
    }
    assertThat(api.access(moves).exec("echo", "here").field("/stdout")).isEqualTo("here\n");
    assertThat(api.get("/v1/cleanups").text()).contains(moves, fails, cut);

    nodes.second().restart(nodes.settings("two"));
    await().atMost(PATIENCE).until(() -> record(waits).path("conditions").isEmpty());
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              Api.Reply still = api.access(waits).exec("cat", "mark");
              assertThat(still.status()).as(still.text()).isEqualTo(200);
              assertThat(still.field("/stdout")).isEqualTo("kept\n");
            });
    // A node that is too busy to renew its lease is lost for a moment once more, and says so.
    assertThat(events(waits)).contains("sandbox.reachable");
    assertThat(Collections.frequency(events(waits), "sandbox.reachable"))
        .isEqualTo(Collections.frequency(events(waits), "sandbox.unreachable"));
    await().atMost(PATIENCE).until(() -> api.get("/v1/cleanups").json().path("items").isEmpty());
    assertThat(nodes.second().sandboxFolders()).hasSize(1);
    assertThat(nodes.first().sandboxFolders()).hasSize(2);
  }
}
