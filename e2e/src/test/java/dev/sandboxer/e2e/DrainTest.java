package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.testing.client.Api;
import dev.sandboxer.testing.faulty.Fault;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** A node that is asked to stop: who sees it when, and what goes on where. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DrainTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String COUNTING =
      "{\"process_id\": \"count\", \"command\": \"i=0; while true; do echo $i; i=$((i+1)); sleep 0.01; done\"}";

  private TwoNodes nodes;

  @BeforeAll
  void start() {
    Map<String, Map<String, String>> ports =
        Map.of("one", Platform.onOnePort(), "two", Platform.onOnePort());
    nodes = new TwoNodes(node -> Objects.requireNonNull(ports.get(node)));
  }

  @AfterAll
  void stop() {
    nodes.close();
  }

  private Api one() {
    return nodes.first().api();
  }

  private Api two() {
    return nodes.second().api();
  }

  private static String counting(Api api) {
    String id = api.ready("local").path("id").asText();
    Api.Reply started = api.access(id).post("/processes", COUNTING);
    assertThat(started.status()).as(started.text()).isEqualTo(201);
    return id;
  }

  private static Frames attached(Api api, String id, long offset) {
    return Frames.open(api.access(id), "/processes/count/attach?stdout_offset=" + offset, "");
  }

  /** Nothing of the log is lost and nothing comes twice, here or through the other node. */
  @Test
  void socketsAreToldToConnectAgainAndGoOnWhereTheyWere() {
    String id = counting(one());
    try (Frames here = attached(one(), id, 0);
        Frames there = attached(two(), id, 0)) {
      here.awaitText("20\n");
      there.awaitText("20\n");
      nodes.first().terminate();
      assertThat(here.closeStatus()).isEqualTo(1012);
      assertThat(there.closeStatus()).isEqualTo(1012);
      nodes.first().restart(nodes.settings("one"));
      goesOn(one(), id, here);
      goesOn(two(), id, there);
    }
  }

  private static void goesOn(Api api, String id, Frames before) {
    String seen = before.text();
    try (Frames after = attached(api, id, seen.length())) {
      after.awaitText("0\n");
      List<String> lines = (seen + after.text()).lines().toList();
      for (int i = 0; i < lines.size() - 1; i++) {
        assertThat(lines.get(i)).isEqualTo(Integer.toString(i));
      }
    }
  }

  @Test
  void theOtherNodeKnowsAtOnceThatItIsGone() {
    String id = one().ready("local").path("id").asText();
    nodes.first().terminate();
    Api.Reply reply = two().access(id).exec("true");
    assertThat(reply.code()).isEqualTo("SANDBOX_UNREACHABLE");
    assertThat(reply.text()).contains("its node 'one' does not run");
    nodes.first().restart(nodes.settings("one"));
    await().atMost(PATIENCE).until(() -> two().access(id).exec("true").status() == 200);
  }

  @Test
  void oneThatIsKilledIsNamedAndComesBack() {
    String id = one().ready("local").path("id").asText();
    assertThat(two().access(id).exec("true").status()).isEqualTo(200);
    nodes.first().kill();
    Api.Reply reply = two().access(id).exec("true");
    assertThat(reply.code()).isEqualTo("SANDBOX_UNREACHABLE");
    assertThat(reply.text()).contains("its node 'one'");
    nodes.first().restart(nodes.settings("one"));
    await().atMost(PATIENCE).until(() -> two().access(id).exec("true").status() == 200);
  }

  @Test
  void itSaysThatItIsNotReadyWhileItGoesOnServing() {
    Platform platform = nodes.second();
    platform.terminate();
    Map<String, String> patient = nodes.settings("two");
    patient.put("SANDBOXER_DRAIN_SECONDS", "20");
    platform.restart(patient);
    CompletableFuture<Void> ended = CompletableFuture.runAsync(platform::terminate);
    await().atMost(PATIENCE).until(() -> two().get("/v1/health/ready").status() == 503);
    assertThat(two().get("/v1/sandboxes").status()).isEqualTo(200);
    assertThat(ended).isNotDone();
    JsonNode node = check(two().get("/v1/health/ready").json(), "node");
    assertThat(node.path("detail").asText()).isEqualTo("ends soon");
    ended.join();
    platform.restart(nodes.settings("two"));
  }

  private static JsonNode check(JsonNode health, String name) {
    return health
        .path("checks")
        .valueStream()
        .filter(check -> check.path("name").asText().equals(name))
        .findFirst()
        .orElseThrow();
  }

  /** A create that its node gave up is claimed by nobody, and the node goes on with it. */
  @Test
  void workUnderWayIsHandedOver() {
    FaultyPlatform faulty = new FaultyPlatform("faulty");
    try (Platform platform = faulty.start()) {
      faulty.routed(platform);
      faulty.backend(platform, "faulty").always("provision", Fault.HANG);
      Api.Reply created =
          platform.api().post("/v1/sandboxes", Api.create(faulty.profile("faulty")));
      String id = created.field("/id");
      await()
          .atMost(PATIENCE)
          .until(
              () ->
                  platform.api().get("/v1/sandboxes/" + id).field("/state").equals("provisioning"));
      platform.terminate();
      faulty.backend(platform, "faulty").sound();
      platform.restart(Map.of());
      await()
          .atMost(Duration.ofSeconds(10))
          .until(() -> platform.api().get("/v1/sandboxes/" + id).field("/state").equals("ready"));
    }
  }
}
