package dev.sandboxer.bench.group;

import dev.sandboxer.bench.http.Connection;
import dev.sandboxer.bench.http.Endpoint;
import dev.sandboxer.bench.measure.Interleaving;
import dev.sandboxer.bench.measure.Lane;
import dev.sandboxer.bench.report.Goal;
import dev.sandboxer.bench.report.Row;
import dev.sandboxer.bench.subject.Sandbox;
import dev.sandboxer.bench.subject.Scene;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** Explaining a route over a hundred hosts, and creates with ten candidates beside one. */
public final class RouteGroup implements Group {

  private static final int HOSTS = 100;
  private static final int SOME = 10;
  private static final int WARM_UP = 60;
  private static final long LEAST_BYTES = 10_000; // of all hundred hosts
  private static final Interleaving EXPLAINS = new Interleaving(Duration.ofSeconds(4), 20, 100);
  private static final Interleaving CREATES = new Interleaving(Duration.ZERO, 100, 1);
  private static final double EXPLAIN_MILLIS = 5;
  private static final double ADDED_MILLIS = 1;

  @Override
  public List<Row> measure(Scene scene) throws Exception {
    Endpoint api = scene.platform().api();
    try (Connection connection = api.connect()) {
      for (int number = 0; number < HOSTS; number++) {
        register(connection, api, number);
      }
      profile(scene, "route-one", "one: \"yes\"");
      profile(scene, "route-ten", "ten: \"yes\"");
      profile(scene, "route-hundred", "hundred: \"yes\"");
      List<Row> explains = explains(api);
      List<Row> creates = creates(connection, api);
      for (int number = 0; number < HOSTS; number++) {
        var _ = connection.call(api.delete("/v1/hosts/bench-" + number)).require(204);
      }
      return List.of(
          explains.getFirst(), explains.getLast(), creates.get(0), creates.get(1), creates.get(2));
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
    scene
        .platform()
        .profile(
            name,
            """
            id: profile.%s
            version: 1
            routing: {candidates: [ext.nsjail], require: {labels: {%s}}}
            best_effort: [cpus, memory, pids]
            """
                .formatted(name, label));
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
    Deque<String> made = new ArrayDeque<>();
    ByteBuffer oneCreation = Sandbox.creation(api, "route-one");
    ByteBuffer tenCreation = Sandbox.creation(api, "route-ten");
    for (int i = 0; i < WARM_UP; i++) {
      Sandbox.destroy(connection, api, Sandbox.create(connection, oneCreation));
      Sandbox.destroy(connection, api, Sandbox.create(connection, tenCreation));
    }
    Lane one = new Lane("create, 1", () -> made.add(Sandbox.create(connection, oneCreation)));
    Lane gone = new Lane("delete", () -> Sandbox.destroy(connection, api, made.remove()));
    Lane ten = new Lane("create, 10", () -> made.add(Sandbox.create(connection, tenCreation)));
    Lane goneToo = new Lane("delete", () -> Sandbox.destroy(connection, api, made.remove()));
    CREATES.measure(List.of(one, gone, ten, goneToo));
    Row floor = Row.of("route.create.one", "create to ready, 1 candidate", "ms", one.samples());
    return List.of(
        floor,
        Row.of("route.create", "create to ready, 10 candidates", "ms", ten.samples()).over(floor),
        Row.single(
                "route.create.added",
                "what 9 more candidates add",
                "ms",
                ten.samples().p50() - one.samples().p50())
            .within(Goal.atMost(ADDED_MILLIS)));
  }
}
