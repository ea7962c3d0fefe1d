package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.testing.client.Api;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Boxes of two platform processes on one database, and what keeps them from being idle. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BoxesOnTwoNodesTest {

  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final int MOST = 20;
  private static final Map<String, Object> BRIEF = Map.of("idle_seconds", 10);

  private TwoNodes nodes;
  private ExecutorService threads;

  @BeforeAll
  void start() {
    nodes = new TwoNodes(_ -> Map.of("SANDBOXER_MAX_BOXES", "" + MOST));
    threads = Executors.newVirtualThreadPerTaskExecutor();
  }

  @AfterAll
  void stop() {
    threads.shutdownNow();
    nodes.close();
  }

  private Box box(Api api, String chat, Map<String, Object> more) {
    return Box.ensure(api, "local", "{launcher_id}", Map.of("launcher_id", chat), more);
  }

  @Test
  @Execution(ExecutionMode.CONCURRENT)
  void aHundredRequestsAtBothNodesGetOneBoxThatBothCanUse() {
    List<CompletableFuture<Box>> calls =
        IntStream.range(0, 100)
            .mapToObj(
                n ->
                    CompletableFuture.supplyAsync(
                        () -> box(n % 2 == 0 ? one() : two(), "crowd", Map.of()), threads))
            .toList();
    Set<String> sandboxes = new TreeSet<>();
    List<String> outcomes = new ArrayList<>();
    for (CompletableFuture<Box> call : calls) {
      sandboxes.add(call.join().id() + " " + call.join().sandbox());
      outcomes.add(call.join().outcome());
    }
    assertThat(sandboxes).hasSize(1);
    // None where the one that made it had to ask again.
    assertThat(outcomes.stream().filter("new"::equals)).hasSizeLessThanOrEqualTo(1);
    Box mine = calls.getFirst().join();
    Box theirs = new Box(two(), mine.id(), mine.sandbox(), "");
    assertThat(mine.out("echo one > note; cat note")).isEqualTo("one\n");
    assertThat(theirs.out("cat note")).isEqualTo("one\n");
    mine.delete();
  }

  @Test
  @Execution(ExecutionMode.CONCURRENT)
  void theQuotaOfBoxesIsExactWhenManyAskAtBothNodes() {
    Api.Reply tenant = one().post("/v1/tenants", "{\"name\": \"crowded\"}");
    assertThat(tenant.status()).as(tenant.text()).isEqualTo(201);
    String key =
        one()
            .post(
                "/v1/keys",
                "{\"name\": \"crowded\", \"role\": \"consumer\", \"tenant\": \"crowded\"}")
            .field("/key");
    List<Api> doors = List.of(new Api(one().base(), key), new Api(two().base(), key));
    List<CompletableFuture<Api.Reply>> calls =
        IntStream.range(0, 2 * MOST)
            .mapToObj(
                n ->
                    CompletableFuture.supplyAsync(
                        () -> answered(doors.get(n % 2), String.valueOf(n)), threads))
            .toList();
    List<Api.Reply> refused =
        calls.stream().map(CompletableFuture::join).filter(one -> one.status() >= 300).toList();
    assertThat(refused)
        .hasSize(MOST)
        .allMatch(one -> one.code().equals("QUOTA_EXCEEDED"))
        .allMatch(one -> one.json().path("in_use").asInt() == MOST);
    assertThat(doors.getFirst().get("/v1/boxes?limit=100").json().path("items")).hasSize(MOST);
    doors
        .getFirst()
        .get("/v1/boxes?limit=100")
        .json()
        .path("items")
        .forEach(one -> doors.getFirst().delete("/v1/boxes/" + one.path("id").asText()));
  }

  /** Asks again where the database was too busy, as clients do. */
  private static Api.Reply answered(Api door, String session) {
    Api.Reply reply =
        door.post(
            "/v1/boxes", "{\"session_id\": \"%s\", \"profile\": \"local\"}".formatted(session));
    return reply.code().equals("DATABASE_UNAVAILABLE") ? answered(door, session) : reply;
  }

  @Test
  @Execution(ExecutionMode.CONCURRENT)
  void idleTimeEndsABoxUnlessItIsPersistentOrRunsSomething() {
    Box persistent = box(one(), "persistent", Map.of("idle_seconds", 10, "persistent", true));
    Box served = box(one(), "served", BRIEF);
    Api.Dataplane inside = one().access(served.sandbox());
    Api.Reply started =
        inside.post("/processes", "{\"process_id\": \"s\", \"command\": [\"sleep\", \"6000\"]}");
    assertThat(started.status()).as(started.text()).isBetween(200, 201);
    Box working = box(one(), "working", BRIEF);
    CompletableFuture<Api.Reply> command =
        CompletableFuture.supplyAsync(
            () ->
                one()
                    .post(
                        "/v1/boxes/" + working.id() + "/exec",
                        "{\"command\": \"until [ -e end ]; do sleep 0.1; done\", \"timeout_ms\": 600000}"),
            threads);
    // Each began to be unused after the others: where it has ended, the others could have.
    for (String chat : List.of("first", "second")) {
      Box idle = box(two(), chat, BRIEF);
      await().atMost(PATIENCE).until(() -> ended(idle.sandbox()));
      assertThat(sandbox(idle.sandbox()).path("end_reason").asText()).isEqualTo("idle");
    }
    assertThat(List.of(persistent.state(), served.state(), working.state()))
        .allMatch(state -> state.equals("ready") || state.equals("active"));

    assertThat(inside.delete("/processes/s").status()).isBetween(200, 204);
    assertThat(working.exec("touch end").field("/outcome")).isEqualTo("found");
    assertThat(command.join().json().path("exit_code").asInt()).isZero();
    for (Box box : List.of(served, working)) {
      await().atMost(PATIENCE).until(() -> ended(box.sandbox()));
      assertThat(sandbox(box.sandbox()).path("end_reason").asText()).isEqualTo("idle");
    }
    assertThat(persistent.exec("true").field("/outcome")).isEqualTo("found");
    assertThat(served.exec("true").field("/outcome")).isEqualTo("vanished");
  }

  private Api one() {
    return nodes.first().api();
  }

  private Api two() {
    return nodes.second().api();
  }

  private JsonNode sandbox(String id) {
    return one().get("/v1/sandboxes/" + id).json();
  }

  private boolean ended(String id) {
    return List.of("expired", "destroying", "destroyed")
        .contains(sandbox(id).path("state").asText());
  }
}
