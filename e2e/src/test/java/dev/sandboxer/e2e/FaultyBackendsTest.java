package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.testing.client.Api;
import dev.sandboxer.testing.faulty.FaultyBackend;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Two backends whose calls fail, hang, come late and happen twice, and a platform that is killed
 * meanwhile. Once faults are over there is one live object for each live record, and none without.
 * {@code -Dfaulty.runs=300} makes more runs, {@code -Dfaulty.seed} begins with another seed; a
 * failure names the seed of its run.
 */
class FaultyBackendsTest {

  private static final FaultyPlatform FAULTY = new FaultyPlatform("faulty-one", "faulty-two");
  private static final int RUNS = Integer.getInteger("faulty.runs", 3);
  private static final long SEED = Long.getLong("faulty.seed", 1);
  private static final int CREATES = 5;
  private static final int PERCENT = 45;
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private static Platform platform;
  private static ExecutorService threads;

  @BeforeAll
  static void start() {
    threads = Executors.newVirtualThreadPerTaskExecutor();
    platform = FAULTY.start();
    FAULTY.routed(platform);
  }

  @AfterAll
  static void stop() {
    platform.close();
    threads.shutdownNow();
  }

  @Test
  void oneLiveObjectForEachLiveRecordAndNoneWithout() throws IOException {
    for (long seed = SEED; seed < SEED + RUNS; seed++) {
      run(seed);
    }
  }

  private void run(long seed) throws IOException {
    Random random = new Random(seed);
    faults(seed);
    List<CompletableFuture<Void>> calls = new ArrayList<>();
    Api api = platform.api();
    for (int i = 0; i < CREATES; i++) {
      String key = "run-" + seed + "-" + i;
      boolean deleted = random.nextInt(4) == 0;
      calls.add(CompletableFuture.runAsync(() -> create(api, key, deleted), threads));
    }
    atAMomentOfChance(random, 1200);
    platform.kill();
    calls.forEach(call -> call.handle((_, _) -> true).join());
    platform.restart(Map.of());
    atAMomentOfChance(random, 800);
    sound();
    settled(seed);
    Set<String> live = compare("seed " + seed);
    live.forEach(FaultyBackendsTest::answers);
    platform.api().destroyAll();
    settled(seed);
    assertThat(compare("seed " + seed + ", after all were deleted")).isEmpty();
  }

  /** What is cut off is to be anything, so this waits for a time and not for a condition. */
  private static void atAMomentOfChance(Random random, int withinMillis) {
    LockSupport.parkNanos(Duration.ofMillis(random.nextInt(withinMillis)).toNanos());
  }

  /** What a call of the killed platform may still do at its backend is waited for. */
  @Test
  void anAttemptThatWasCutOffIsFollowedForTheBackendsWindow() {
    sound();
    platform.arm("create.attempted");
    Api api = platform.api();
    CompletableFuture<Void> cut =
        CompletableFuture.runAsync(() -> create(api, "cut", false), threads);
    platform.awaitFailpoint("create.attempted");
    String id = records().getFirst().path("id").asText();
    assertThat(api.delete("/v1/sandboxes/" + id).status()).isEqualTo(202);
    platform.kill();
    cut.handle((_, _) -> true).join();
    platform.restart(Map.of());
    await()
        .atMost(PATIENCE)
        .until(() -> platform.api().get("/v1/sandboxes/" + id).field("/state").equals("destroyed"));
    assertThat(Duration.between(at(id, "destroying"), at(id, "destroyed")))
        .isGreaterThanOrEqualTo(FaultyBackend.WINDOW);
  }

  private static Instant at(String id, String state) {
    for (JsonNode event :
        platform.api().get("/v1/sandboxes/" + id + "/events").json().path("items")) {
      if (event.path("type").asText().equals("sandbox." + state)) {
        return Instant.parse(event.path("occurred_at").asText());
      }
    }
    throw new AssertionError(id + " was never " + state);
  }

  private static void create(Api api, String key, boolean deleted) {
    Api.Reply reply =
        api.post(
            "/v1/sandboxes",
            Api.create(FAULTY.profile("faulty")),
            "Idempotency-Key",
            key,
            "Prefer",
            deleted ? "wait=0" : "wait=10");
    if (deleted && reply.status() < 300) {
      var _ = api.delete("/v1/sandboxes/" + reply.field("/id"));
    }
  }

  private static void faults(long seed) {
    FAULTY.backend(platform, "faulty-one").byChance(seed, PERCENT);
    FAULTY.backend(platform, "faulty-two").byChance(seed + 1, PERCENT);
  }

  private static void sound() {
    FAULTY.backend(platform, "faulty-one").sound();
    FAULTY.backend(platform, "faulty-two").sound();
  }

  /** Nothing is under way: neither a create nor a clean-up. */
  private static void settled(long seed) {
    await("seed " + seed)
        .atMost(PATIENCE)
        .until(() -> records().stream().allMatch(FaultyBackendsTest::settled));
    await("debts of seed " + seed)
        .atMost(PATIENCE)
        .until(() -> folders().equals(List.copyOf(live())));
  }

  private static boolean settled(JsonNode record) {
    return switch (record.path("state").asText()) {
      case "ready", "active", "destroyed" -> true;
      case "failed" -> record.path("cleanup").asText().equals("done");
      default -> false;
    };
  }

  private static List<JsonNode> records() {
    List<JsonNode> records = new ArrayList<>();
    platform
        .api()
        .get("/v1/sandboxes?live=true&limit=1000")
        .json()
        .path("items")
        .forEach(records::add);
    return records;
  }

  /** Raw ids of those that are up. */
  private static Set<String> live() {
    return records().stream()
        .filter(record -> Set.of("ready", "active").contains(record.path("state").asText()))
        .map(record -> record.path("id").asText().substring("sb_".length()))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Set<String> compare(String run) throws IOException {
    Set<String> live = live();
    assertThat(folders()).as(run).containsExactlyElementsOf(live);
    for (String id : live) {
      assertThat(processes(id)).as("processes of %s, %s", id, run).hasSize(1);
    }
    assertThat(processes(platform.home().resolve("run").toString())).as(run).hasSameSizeAs(live);
    return live;
  }

  /** The raw id of each folder, in order: a sandbox with remains of another attempt comes twice. */
  private static List<String> folders() {
    return platform.sandboxFolders().stream()
        .map(folder -> folder.substring(0, folder.indexOf('-')))
        .sorted()
        .toList();
  }

  /** The boxd that have this in their command line. */
  private static List<Long> processes(String text) {
    try (Stream<ProcessHandle> found = Host.processes("serve", "--config", text)) {
      return found.map(ProcessHandle::pid).toList();
    }
  }

  private static void answers(String id) {
    assertThat(platform.api().access("sb_" + id).exec("echo", "alive").field("/stdout"))
        .isEqualTo("alive\n");
  }
}
