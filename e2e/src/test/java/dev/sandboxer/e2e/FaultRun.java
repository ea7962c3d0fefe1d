package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.testing.client.Api;
import dev.sandboxer.testing.faulty.Whim;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/**
 * Some creates while the backends fail and the platform is killed. What else happens follows from
 * the seed: deletes and recreates, boxds that are killed, claims that are lost, sweeps of a listing
 * that lies, a host that is closed or drained. How all that meets is left to the machine.
 */
final class FaultRun {

  private static final int CREATES = 5;
  private static final int PERCENT = 45;
  private static final int AFTER_THE_KILL = 800;
  private static final List<String> ADMISSIONS =
      List.of("cordon {}", "drain {\"running\": \"end\"}", "drain {\"running\": \"recreate\"}");

  private final FaultyNode node;
  private final long seed;
  private final FaultRunOutcome outcome;
  private final Random random;
  private final int millisToTheKill;
  private final List<CompletableFuture<Void>> calls = new ArrayList<>();

  /** Ids by Idempotency-Key. */
  private final Map<String, String> made = new ConcurrentHashMap<>();

  /** Were ready in a reply. */
  private final Set<String> promised = ConcurrentHashMap.newKeySet();

  /** Need not be up at the end, because a delete or a recreate of this run met them. */
  private final Set<String> touched = ConcurrentHashMap.newKeySet();

  private final Set<String> killed = ConcurrentHashMap.newKeySet();
  private boolean drained;
  private boolean kept;
  private final long removedBefore;

  FaultRun(FaultyNode node, long seed) {
    this.node = node;
    this.seed = seed;
    this.outcome = new FaultRunOutcome(node, seed);
    this.random = new Random(seed);
    this.removedBefore = node.removedBySweeps();
    this.millisToTheKill = 1 + random.nextInt(1200);
  }

  private enum Then {
    LEFT,
    DELETED,
    RECREATED
  }

  private boolean oneIn(int number) {
    return random.nextInt(number) == 0;
  }

  void make() {
    faults(Map.of());
    begin();
    pause(millisToTheKill);
    node.platform().kill();
    calls.forEach(call -> call.handle((_, _) -> true).join());
    if (oneIn(4)) {
      killABox(random.nextInt(CREATES));
    }
    node.restart();
    var _ = node.api().post("/v1/hosts/" + FaultyNode.NAME + "/uncordon", "{}");
    repeat();
    pause(random.nextInt(AFTER_THE_KILL));
    node.sound();
    repeat();
    outcome.settle(kept);
    outcome.compare(outcome.live());
    promisesAreKept();
    outcome.allAnswer();
    outcome.allHaveHistories();
    outcome.isEmptyAfterDeletes();
    if (!kept) {
      assertThat(node.removedBySweeps())
          .as("sweeps found nothing to remove, %s", run())
          .isEqualTo(removedBefore);
    }
  }

  private void faults(Map<Whim, String> whims) {
    List<String> backends = FaultyNode.BACKENDS;
    for (int i = 0; i < backends.size(); i++) {
      node.backend(backends.get(i)).byChance(seed + i, PERCENT, whims);
    }
  }

  private void begin() {
    Api api = node.api();
    for (int i = 0; i < CREATES; i++) {
      String key = key(i);
      Then then = oneIn(4) ? Then.DELETED : oneIn(4) ? Then.RECREATED : Then.LEFT;
      call(0, () -> create(api, key, then));
    }
    if (oneIn(3)) {
      int which = random.nextInt(CREATES);
      call(atAMomentOfChance(), () -> killABox(which));
    }
    if (oneIn(3)) {
      call(atAMomentOfChance(), this::takeClaims);
    }
    if (oneIn(2)) {
      Whim whim =
          List.of(Whim.EMPTY, Whim.PARTIAL, Whim.PAGES_OF, Whim.OMITS, Whim.KEEPS_ALL)
              .get(random.nextInt(5));
      kept = whim == Whim.KEEPS_ALL;
      call(atAMomentOfChance(), () -> sweep(api, whim));
    }
    if (oneIn(4)) {
      String[] admission = ADMISSIONS.get(random.nextInt(ADMISSIONS.size())).split(" ", 2);
      drained = admission[1].contains("end");
      call(
          atAMomentOfChance(),
          () -> api.post("/v1/hosts/" + FaultyNode.NAME + "/" + admission[0], admission[1]));
    }
  }

  private void call(int afterMillis, Runnable action) {
    calls.add(
        CompletableFuture.runAsync(
            () -> {
              pause(afterMillis);
              action.run();
            },
            node.threads()));
  }

  private int atAMomentOfChance() {
    return random.nextInt(millisToTheKill);
  }

  /** The kill must hit an arbitrary step, so this waits for a random time, not for a condition. */
  private static void pause(int millis) {
    LockSupport.parkNanos(Duration.ofMillis(millis).toNanos());
  }

  private String key(int number) {
    return "run-" + seed + "-" + number;
  }

  private String body() {
    return """
        {"profile": "%s", "consumer": {"actor": "atm", "project": "run-%d"}}
        """
        .formatted(node.profile(), seed);
  }

  private void create(Api api, String key, Then then) {
    String wait = then == Then.DELETED ? "wait=0" : "wait=10";
    Api.Reply reply = api.post("/v1/sandboxes", body(), "Idempotency-Key", key, "Prefer", wait);
    if (reply.status() >= 300) {
      return;
    }
    String id = reply.field("/id");
    made.put(key, id);
    switch (then) {
      case LEFT -> {
        if (reply.status() == 201) {
          promised.add(id);
        }
      }
      case DELETED -> {
        touched.add(id);
        var _ = api.delete("/v1/sandboxes/" + id);
      }
      case RECREATED -> {
        touched.add(id);
        var _ = api.post("/v1/sandboxes/" + id + "/recreate", "{}", "If-Match", "1");
      }
    }
  }

  /** A client that does not know what became of its calls sends them again. */
  private void repeat() {
    for (int i = 0; i < CREATES; i++) {
      String key = key(i);
      Api.Reply again = node.api().post("/v1/sandboxes", body(), "Idempotency-Key", key);
      String first = made.get(key);
      if (again.status() < 300) {
        String id = made.computeIfAbsent(key, _ -> again.field("/id"));
        assertThat(again.field("/id")).as("%s, again, %s", key, run()).isEqualTo(id);
      } else {
        assertThat(first).as("made before, and now %s, %s", again.text(), run()).isNull();
      }
    }
  }

  /** As another node does that takes over, and then ends at once. */
  private void takeClaims() {
    var _ =
        node.database()
            .sql(
                """
                update sandbox set claim_owner = 'other/1', claim_token = claim_token + 1,
                  claim_until = clock_timestamp() + interval '500 ms'
                where claim_owner is not null
                """);
  }

  private void killABox(int which) {
    List<ProcessHandle> boxes = node.boxes().toList();
    if (boxes.isEmpty()) {
      return;
    }
    ProcessHandle box = boxes.get(which % boxes.size());
    killed.add("sb_" + FaultyNode.sandboxOf(box));
    box.destroyForcibly();
  }

  private void sweep(Api api, Whim whim) {
    faults(Map.of(whim, whimOf(whim)));
    var _ = api.post("/v1/sweeps", "{}");
  }

  private String whimOf(Whim whim) {
    return switch (whim) {
      case OMITS -> made.values().stream().findAny().map(FaultRun::raw).orElse("none");
      case PAGES_OF -> "1";
      default -> "true";
    };
  }

  private static String raw(String id) {
    return id.substring("sb_".length());
  }

  private String run() {
    return "seed " + seed;
  }

  /** One record a key, and each that was ready lives on unless this run has ended it. */
  private void promisesAreKept() {
    Set<String> live = outcome.live();
    assertThat(outcome.records())
        .as(run())
        .extracting(record -> record.path("id").asText())
        .containsExactlyInAnyOrderElementsOf(made.values());
    if (drained) {
      return;
    }
    for (JsonNode record : outcome.records()) {
      String id = record.path("id").asText();
      if (promised.contains(id) && !touched.contains(id) && !killed.contains(id)) {
        assertThat(live).as("%s was ready and is lost, %s", record, run()).contains(raw(id));
      }
      if (record.at("/failure/code").asText().equals("CRASH")) {
        assertThat(killed).as("%s crashed by itself, %s", record, run()).contains(id);
      }
    }
  }
}
