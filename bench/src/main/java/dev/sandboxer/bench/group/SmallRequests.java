package dev.sandboxer.bench.group;

import dev.sandboxer.bench.http.Connection;
import dev.sandboxer.bench.http.Endpoint;
import dev.sandboxer.bench.measure.Interleaving;
import dev.sandboxer.bench.measure.Lane;
import dev.sandboxer.bench.report.Goal;
import dev.sandboxer.bench.report.Row;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;

/** The round trip of the smallest request, and from it the relay's own cost. */
record SmallRequests(Endpoint bare, Endpoint relay) {

  private static final Interleaving PLAN = new Interleaving(Duration.ofSeconds(6), 40, 200);
  private static final double GOAL_MILLIS = 0.25;

  List<Row> rows() throws Exception {
    try (Connection toBare = bare.connect();
        Connection toRelay = relay.connect()) {
      Lane direct = lane("bare Unix socket", toBare, bare);
      Lane relayed = lane("through the relay", toRelay, relay);
      PLAN.measure(List.of(direct, relayed));
      Row floor = row("relay.health.bare", direct);
      Row through = row("relay.health", relayed).over(floor);
      Row cost =
          Row.single(
              "relay.own_cost",
              "relay's own cost (p50 less p50)",
              "ms",
              through.p50() - floor.p50());
      return List.of(floor, through, cost.within(Goal.atMost(GOAL_MILLIS)));
    }
  }

  private static Lane lane(String name, Connection connection, Endpoint endpoint) {
    ByteBuffer request = endpoint.get("/health");
    return new Lane(name, () -> connection.call(request).require(200));
  }

  private static Row row(String id, Lane lane) {
    return Row.of(id, "GET health, " + lane.name(), "ms", lane.samples());
  }
}
