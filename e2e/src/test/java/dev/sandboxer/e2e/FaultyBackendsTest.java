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
        node.keepLog("target/faulty-seed-" + seed + ".log", e.toString());
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
    isDestroyedAfterTheWindow(id, "destroying");
  }

  /** The call is made again and succeeds, so there is a handle, and a late effect beside it. */
  @Test
  void soIsOneWhoseFirstCallWasGivenUp() {
    node.backend("faulty-one").inTurn("provision", Fault.LATE, Fault.NONE);
    String id = node.api().ready(node.profile()).path("id").asText();
    assertThat(node.api().delete("/v1/sandboxes/" + id).status()).isIn(200, 202);
    isDestroyedAfterTheWindow(id, "provisioning");
  }

  @Test
  void soIsOneThatAnotherWorkerWentOnWith() {
    node.platform().arm("create.provisioned");
    CompletableFuture<Void> cut = create();
    node.platform().awaitFailpoint("create.provisioned");
    String id = onlyOne();
    node.platform().kill();
    cut.handle((_, _) -> true).join();
    node.restart();
    await().atMost(PATIENCE).until(() -> state(id).equals("ready"));
    assertThat(node.api().delete("/v1/sandboxes/" + id).status()).isIn(200, 202);
    await().atMost(PATIENCE).until(() -> state(id).equals("destroyed"));
    assertThat(
            node.database()
                .sql(
                    """
                    select s.destroyed_at >= a.clean_after from sandbox s
                      join attempt a on a.sandbox_id = s.id where s.id = '%s'
                    """
                        .formatted(id.substring("sb_".length()))))
        .as("seen clean after the window of the call that was cut off")
        .isEqualTo("t");
  }

  private static void isDestroyedAfterTheWindow(String id, String state) {
    await().atMost(PATIENCE).until(() -> state(id).equals("destroyed"));
    assertThat(Duration.between(at(id, state), at(id, "destroyed")))
        .isGreaterThanOrEqualTo(FaultyBackend.WINDOW);
    assertThat(node.folders()).isEmpty();
  }

  /**
   * A worker stops between two writes, and loses its claim meanwhile. What it goes on with then,
   * the next candidate, is not for it to do: another worker has made the sandbox ready.
   */
  @Test
  void aWorkerThatLostItsClaimWritesNothing() {
    node.backend("faulty-one").always("provision", Fault.LOST_REQUEST);
    node.platform().arm("create.candidate_failed");
    CompletableFuture<Void> stopped = create();
    node.platform().awaitFailpoint("create.candidate_failed");
    writesNothing(stopped, "ext.faulty-one", "requested", "provisioning", "ready");
  }

  /** At the last candidate it would record the failure, and the live attempt would be removed. */
  @Test
  void norThatTheSandboxHasFailed() {
    node.backend("faulty-one").always("provision", Fault.CAPACITY);
    node.backend("faulty-two").always("provision", Fault.LOST_REQUEST);
    node.platform().arm("create.next_candidate");
    CompletableFuture<Void> stopped = create();
    node.platform().awaitFailpoint("create.next_candidate");
    node.platform().releaseTo("create.candidate_failed");
    node.platform().awaitFailpoint("create.candidate_failed");
    writesNothing(
        stopped,
        "ext.faulty-two",
        "requested",
        "provisioning",
        "requested",
        "provisioning",
        "ready");
  }

  private static void writesNothing(
      CompletableFuture<Void> stopped, String extension, String... life) {
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
    node.platform().release();
    stopped.join();
    String row = "sandbox=" + id;
    String lost = "claim lost " + row;
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                logged(lost)
                    || logged("worker failed " + row)
                    || logged("next candidate %s failed=%s".formatted(row, extension)));
    assertThat(logged(lost)).as("claim lost, in %s", node.platform().log()).isTrue();
    assertThat(
            node.database()
                .sql(
                    """
                    select a.cleanup from sandbox s join attempt a on a.id = s.attempt_id
                      where s.id = '%s'
                    """
                        .formatted(id.substring("sb_".length()))))
        .as("clean-up of the live attempt")
        .isEqualTo("null");
    JsonNode now = node.api().get("/v1/sandboxes/" + id).json();
    assertThat(now.path("state").asText()).as(now.toString()).isEqualTo("ready");
    assertThat(now.path("extension_id").asText()).isEqualTo(extension);
    assertThat(node.folders()).containsExactly(id.substring("sb_".length()));
    Crashes.tellsItOnce(node.api(), id, life);
  }

  private static boolean logged(String text) {
    return node.platform().log().contains(text);
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
