package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.testing.client.Api;
import dev.sandboxer.testing.client.Histories;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * An account whose calls are refused, lost, late and cut off, and a platform that is killed
 * meanwhile. No sandbox runs there whose record has ended, and once all are deleted none is left
 * that costs anything. {@code -Drented.runs=300} makes more runs, of three creates each, {@code
 * -Drented.seed} begins with another seed; a failure names the seed.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RentedRunsTest {

  private static final int RUNS = Integer.getInteger("rented.runs", 3);
  private static final long SEED = Long.getLong("rented.seed", 1);
  private static final int CREATES = 3;

  /** Longer than a lost create is followed, 80 s, and a lost sandbox lives, 120 s. */
  private static final Duration PATIENCE = Duration.ofMinutes(4);

  private static final List<Map<String, Object>> FAULTS =
      List.of(
          Map.of("match", "POST /v2/sandboxes", "lose", true),
          Map.of("match", "POST /v2/sandboxes", "cut", true),
          Map.of("match", "POST /v2/sandboxes", "afterMs", 4000),
          Map.of("match", "POST /v2/sandboxes", "delayMs", 2500),
          Map.of("match", "POST /v2/sandboxes", "status", 429),
          Map.of("match", "POST /v2/sandboxes", "status", 429, "retryAfter", "1"),
          Map.of("match", "POST /v2/sandboxes", "status", 500),
          Map.of("match", "POST /files", "cut", true),
          Map.of("match", "POST /process.Process/Start", "status", 502),
          Map.of("match", "POST /process.Process/Start", "lose", true),
          Map.of("match", "GET /v2/sandboxes", "status", 503),
          Map.of("match", "GET /sandboxes", "delayMs", 3000),
          Map.of("match", "DELETE /sandboxes", "lose", true),
          Map.of("match", "DELETE /sandboxes", "status", 500),
          Map.of("match", "POST /sandboxes", "lose", true));

  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private Database database;
  private RentingPlatform renting;

  @BeforeAll
  void start() {
    database = Database.start();
    renting = new RentingPlatform(database.settings(), 100);
  }

  @AfterAll
  void stop() {
    renting.close();
    database.close();
    threads.shutdownNow();
  }

  @Test
  void noneIsForgotten() {
    for (long seed = SEED; seed < SEED + RUNS; seed++) {
      run(seed);
      noneRunsWithoutARecord("seed " + seed);
    }
    renting.api().destroyAll();
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              assertThat(renting.server().sandboxes()).isEmpty();
              assertThat(states().values()).isNotEmpty().allMatch(RentedRunsTest::over);
            });
    Histories.check(renting.api());
    assertThat(renting.server().state().path("killed").asInt()).isPositive();
    assertThat(database.sql("select coalesce(sum(removed), 0) from sweep"))
        .as("removed by sweeps, and not by the clean-up of its record")
        .isEqualTo("0");
  }

  private void run(long seed) {
    Random random = new Random(seed);
    Api api = renting.api();
    renting.server().faults(faults(random));
    List<CompletableFuture<Void>> calls = new ArrayList<>();
    for (int i = 0; i < CREATES; i++) {
      long then = random.nextLong();
      calls.add(CompletableFuture.runAsync(() -> create(api, new Random(then)), threads));
    }
    pause(random.nextInt(4000));
    renting.platform().kill();
    calls.forEach(call -> call.handle((_, _) -> true).join());
    renting.server().faults(random.nextBoolean() ? faults(random) : List.of());
    renting.restart();
    pause(random.nextInt(1500));
    renting.server().faults(List.of());
    for (Map.Entry<String, String> one : states().entrySet()) {
      if (!over(one.getValue()) && random.nextInt(3) > 0) {
        var _ = renting.api().delete("/v1/sandboxes/" + one.getKey());
      }
    }
  }

  private static List<Map<String, Object>> faults(Random random) {
    return Stream.generate(() -> FAULTS.get(random.nextInt(FAULTS.size())))
        .limit(random.nextInt(4))
        .map(
            fault -> {
              Map<String, Object> some = new TreeMap<>(fault);
              some.put("count", 1 + random.nextInt(3));
              return some;
            })
        .toList();
  }

  private void create(Api api, Random then) {
    Api.Reply reply =
        api.post("/v1/sandboxes", Api.create("rented"), "Prefer", "wait=" + then.nextInt(4));
    String id = reply.field("/id");
    switch (then.nextInt(5)) {
      case 0 -> api.delete("/v1/sandboxes/" + id);
      case 1 -> api.post("/v1/sandboxes/" + id + "/suspend", "");
      default -> {}
    }
  }

  /** The kill must hit an arbitrary step, so this waits for a random time, not for a condition. */
  private static void pause(int millis) {
    LockSupport.parkNanos(Duration.ofMillis(millis).toNanos());
  }

  /** Reads the records first: what one of them has ended before must not run afterwards. */
  private void noneRunsWithoutARecord(String run) {
    Map<String, String> states = states();
    for (JsonNode sandbox : renting.server().sandboxes()) {
      String name = sandbox.at("/metadata/sandboxer-name").asText();
      String id = "sb_" + name.substring(0, name.indexOf('-'));
      assertThat(states.getOrDefault(id, "no record"))
          .as("state of %s, which runs as %s, %s", id, sandbox, run)
          .doesNotMatch("destroyed|failed, done|no record");
    }
  }

  /** The state of each record, and how far the clean-up of a failed one is, by id. */
  private Map<String, String> states() {
    Map<String, String> states = new TreeMap<>();
    for (JsonNode record : renting.api().get("/v1/sandboxes?limit=1000").json().path("items")) {
      String state = record.path("state").asText();
      states.put(
          record.path("id").asText(),
          state.equals("failed") ? "failed, " + record.path("cleanup").asText() : state);
    }
    return states;
  }

  private static boolean over(String state) {
    return Set.of("destroyed", "failed, done").contains(state);
  }
}
