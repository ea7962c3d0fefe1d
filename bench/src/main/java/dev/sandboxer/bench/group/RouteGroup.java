package dev.sandboxer.bench.group;

import dev.sandboxer.bench.backend.NothingBackend;
import dev.sandboxer.bench.http.Connection;
import dev.sandboxer.bench.http.Endpoint;
import dev.sandboxer.bench.measure.Interleaving;
import dev.sandboxer.bench.measure.Lane;
import dev.sandboxer.bench.measure.Samples;
import dev.sandboxer.bench.report.Goal;
import dev.sandboxer.bench.report.Row;
import dev.sandboxer.bench.subject.Sandbox;
import dev.sandboxer.bench.subject.Scene;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Explaining a route over a hundred hosts, creates with ten candidates beside one, and creates
 * whose first candidate has no room.
 */
public final class RouteGroup implements Group {

  private static final int HOSTS = 100;
  private static final int SOME = 10;
  private static final int WARM_UP = 60;
  private static final long LEAST_BYTES = 10_000; // of all hundred hosts
  private static final Interleaving EXPLAINS = new Interleaving(Duration.ofSeconds(4), 20, 100);
  private static final Interleaving CREATES = new Interleaving(Duration.ZERO, 100, 1);
  private static final double EXPLAIN_MILLIS = 5;
  private static final double ADDED_MILLIS = 1;
  private static final double NEXT_MILLIS = 5;

  @Override
  public List<Row> measure(Scene scene) throws Exception {
    NothingBackend.addTo(scene.stopped());
    Endpoint api = scene.platform().api();
    try (Connection connection = api.connect()) {
      for (int number = 0; number < HOSTS; number++) {
        register(connection, api, number);
      }
      profile(scene, "route-one", "one: \"yes\"");
      profile(scene, "route-ten", "ten: \"yes\"");
      profile(scene, "route-hundred", "hundred: \"yes\"");
      List<Row> rows = new ArrayList<>(explains(api));
      rows.addAll(creates(connection, api));
      for (int number = 0; number < HOSTS; number++) {
        var _ = connection.call(api.delete("/v1/hosts/bench-" + number)).require(204);
      }
      rows.addAll(next(scene, connection, api));
      return rows;
    }
  }

  private static void register(Connection connection, Endpoint api, int number) throws IOException {
    String body =
        """
        {"name": "bench-%d", "extension": "ext.nsjail", "capacity": {"sandboxes": 1000},
         "labels": {"one": "%s", "ten": "%s", "hundred": "yes"}}"""
            .formatted(number, number < 1 ? "yes" : "no", number < SOME ? "yes" : "no");
    var _ = connection.call(api.post("/v1/hosts", body)).require(201);
  }

  private static void profile(Scene scene, String name, String label) throws IOException {
    write(scene, name, "candidates: [ext.nsjail], require: {labels: {" + label + "}}", "");
  }

  private static void write(Scene scene, String name, String routing, String further)
      throws IOException {
    scene
        .platform()
        .profile(
            name,
            """
            id: profile.%s
            version: 1
            routing: {%s}
            best_effort: [cpus, memory, pids]
            %s
            """
                .formatted(name, routing, further));
  }

  private static List<Row> explains(Endpoint api) throws Exception {
    Lane one = new Lane("explain, 1", () -> explain(api, "route-one"));
    Lane hundred = new Lane("explain, 100", () -> explain(api, "route-hundred"));
    EXPLAINS.measure(List.of(one, hundred));
    Row floor = Row.of("route.explain.one", "explain: 1 host of 100 that can", "ms", one.samples());
    return List.of(
        floor,
        Row.of("route.explain", "explain: 100 hosts that can", "ms", hundred.samples())
            .over(floor)
            .within(Goal.atMost(EXPLAIN_MILLIS)));
  }

  /** On a connection of its own, as the reply has no length in its head. */
  private static void explain(Endpoint api, String profile) throws IOException {
    String body =
        "{\"profile\":\"%s\",\"consumer\":{\"actor\":\"atm\",\"project\":\"bench\"}}"
            .formatted(profile);
    ByteBuffer request = api.post("/v1/routes/explain", body, "Connection: close");
    try (Connection own = api.connect()) {
      if (own.drain(request) < LEAST_BYTES) {
        throw new IOException("an explanation is missing for " + profile);
      }
    }
  }

  private static List<Row> creates(Connection connection, Endpoint api) throws Exception {
    Pair pair = Pair.measured(connection, api, "route-one", "route-ten");
    Row floor = Row.of("route.create.one", "create to ready, 1 candidate", "ms", pair.first);
    return List.of(
        floor,
        Row.of("route.create", "create to ready, 10 candidates", "ms", pair.second).over(floor),
        Row.single("route.create.added", "what 9 more candidates add", "ms", pair.added())
            .within(Goal.atMost(ADDED_MILLIS)));
  }

  /** The first candidate refuses at once, so what is added is the platform's own. */
  private static List<Row> next(Scene scene, Connection connection, Endpoint api) throws Exception {
    write(scene, "route-plain", "candidates: [ext.nsjail]", "");
    write(
        scene,
        "route-next",
        "strategy: explicit, candidates: [ext.nothing, ext.nsjail]",
        "labels: {" + NothingBackend.FULL + ": \"yes\"}");
    Pair pair = Pair.measured(connection, api, "route-plain", "route-next");
    Row floor = Row.of("route.next.none", "create to ready, as planned", "ms", pair.first);
    return List.of(
        floor,
        Row.of("route.next", "the same after one without room", "ms", pair.second).over(floor),
        Row.single("route.next.added", "what the second candidate adds", "ms", pair.added())
            .within(Goal.atMost(NEXT_MILLIS)));
  }

  /** Creates of two profiles, in turns. */
  private record Pair(Samples first, Samples second) {

    static Pair measured(Connection connection, Endpoint api, String first, String second)
        throws Exception {
      Deque<String> made = new ArrayDeque<>();
      ByteBuffer creation = Sandbox.creation(api, first);
      ByteBuffer other = Sandbox.creation(api, second);
      for (int i = 0; i < WARM_UP; i++) {
        Sandbox.destroy(connection, api, Sandbox.create(connection, creation));
        Sandbox.destroy(connection, api, Sandbox.create(connection, other));
      }
      Lane create = new Lane(first, () -> made.add(Sandbox.create(connection, creation)));
      Lane gone = new Lane("delete", () -> Sandbox.destroy(connection, api, made.remove()));
      Lane create2 = new Lane(second, () -> made.add(Sandbox.create(connection, other)));
      Lane gone2 = new Lane("delete", () -> Sandbox.destroy(connection, api, made.remove()));
      CREATES.measure(List.of(create, gone, create2, gone2));
      return new Pair(create.samples(), create2.samples());
    }

    double added() {
      return second.p50() - first.p50();
    }
  }
}
