package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.testing.client.Api;
import dev.sandboxer.testing.faulty.Fault;
import dev.sandboxer.testing.faulty.FaultyBackend;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Two backends whose calls fail, hang, come late and happen twice, and a platform that is killed
 * meanwhile. Once faults are over there is one live object for each live record, and none without.
 * {@code -Dfaulty.runs=300} makes more runs, {@code -Dfaulty.lanes=3} makes them on as many
 * platforms at once, {@code -Dfaulty.seed} begins with another seed; a failure names the seed of
 * its run, and the log of its platform is in {@code target}.
 */
class FaultyBackendsTest {

  private static final int RUNS = Integer.getInteger("faulty.runs", 3);
  private static final int LANES = Integer.getInteger("faulty.lanes", 1);
  private static final long SEED = Long.getLong("faulty.seed", 1);
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private static FaultyNode node;

  @BeforeAll
  static void start() {
    node = new FaultyNode();
  }

  @AfterAll
  static void stop() {
    node.close();
  }

  @AfterEach
  void end() {
    node.sound();
    node.api().destroyAll();
  }

  @Test
  void oneLiveObjectForEachLiveRecordAndNoneWithout() {
    CompletableFuture<?>[] lanes =
        IntStream.range(0, LANES)
            .mapToObj(lane -> CompletableFuture.runAsync(() -> lane(lane), node.threads()))
            .toArray(CompletableFuture[]::new);
    CompletableFuture.allOf(lanes).join();
  }

  private static void lane(int lane) {
    if (lane == 0) {
      runs(node, lane);
      return;
    }
    try (FaultyNode another = new FaultyNode()) {
      runs(another, lane);
    }
  }

  private static void runs(FaultyNode node, int lane) {
    for (long seed = SEED + lane; seed < SEED + RUNS; seed += LANES) {
      try {
        new FaultRun(node, seed).make();
      } catch (RuntimeException | AssertionError e) {
        node.keepLog("target/faulty-seed-" + seed + ".log");
        throw e;
      }
    }
  }

  /** What a call of the killed platform may still do at its backend is waited for. */
  @Test
  void anAttemptThatWasCutOffIsFollowedForTheBackendsWindow() {
    node.platform().arm("create.attempted");
    CompletableFuture<Void> cut = create();
    node.platform().awaitFailpoint("create.attempted");
    String id = onlyOne();
    assertThat(node.api().delete("/v1/sandboxes/" + id).status()).isEqualTo(202);
    node.platform().kill();
    cut.handle((_, _) -> true).join();
    node.restart();
    await().atMost(PATIENCE).until(() -> state(id).equals("destroyed"));
    assertThat(Duration.between(at(id, "destroying"), at(id, "destroyed")))
        .isGreaterThanOrEqualTo(FaultyBackend.WINDOW);
  }

  /**
   * A worker stops between two writes, and loses its claim meanwhile. What it goes on with then,
   * the next candidate, is not for it to do: another worker has made the sandbox ready.
   */
  @Test
  void aWorkerThatLostItsClaimWritesNothing() {
    Platform platform = node.platform();
    node.backend("faulty-one").always("provision", Fault.LOST_REQUEST);
    platform.arm("create.candidate_failed");
    CompletableFuture<Void> stopped = create();
    platform.awaitFailpoint("create.candidate_failed");
    String id = onlyOne();
    node.sound();
    var _ =
        node.database()
            .sql(
                """
                update sandbox set claim_token = claim_token + 1, claim_owner = null,
                  claim_until = null where claim_owner is not null
                """);
    await().atMost(PATIENCE).until(() -> state(id).equals("ready"));
    platform.release();
    stopped.join();
    String row = "sandbox=" + id;
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                platform.log().contains("claim lost " + row)
                    || platform.log().contains("next candidate " + row));
    assertThat(platform.log()).doesNotContain("next candidate " + row);
    JsonNode now = node.api().get("/v1/sandboxes/" + id).json();
    assertThat(now.path("state").asText()).as(now.toString()).isEqualTo("ready");
    assertThat(now.path("extension_id").asText()).isEqualTo("ext.faulty-one");
    assertThat(node.folders()).containsExactly(id.substring("sb_".length()));
    Crashes.tellsItOnce(node.api(), id, "requested", "provisioning", "ready");
  }

  private static CompletableFuture<Void> create() {
    Api api = node.api();
    return CompletableFuture.runAsync(
        () -> api.post("/v1/sandboxes", Api.create(node.profile()), "Prefer", "wait=10"),
        node.threads());
  }

  private static String onlyOne() {
    JsonNode live = node.api().get("/v1/sandboxes?live=true").json().path("items");
    assertThat(live).hasSize(1);
    return live.path(0).path("id").asText();
  }

  private static String state(String id) {
    return node.api().get("/v1/sandboxes/" + id).field("/state");
  }

  private static Instant at(String id, String state) {
    for (JsonNode event : node.api().get("/v1/sandboxes/" + id + "/events").json().path("items")) {
      if (event.path("type").asText().equals("sandbox." + state)) {
        return Instant.parse(event.path("occurred_at").asText());
      }
    }
    throw new AssertionError(id + " was never " + state);
  }
}
