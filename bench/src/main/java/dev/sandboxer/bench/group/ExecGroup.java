package dev.sandboxer.bench.group;

import dev.sandboxer.bench.http.Connection;
import dev.sandboxer.bench.http.Endpoint;
import dev.sandboxer.bench.measure.Interleaving;
import dev.sandboxer.bench.measure.Lane;
import dev.sandboxer.bench.report.Goal;
import dev.sandboxer.bench.report.Row;
import dev.sandboxer.bench.subject.Sandbox;
import dev.sandboxer.bench.subject.Scene;
import dev.sandboxer.bench.subject.Spawn;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;

/** Running {@code true}: by the kernel alone, by a bare boxd, in a sandbox through the relay. */
public final class ExecGroup implements Group {

  private static final Interleaving PLAN = new Interleaving(Duration.ofSeconds(5), 40, 50);
  private static final double GOAL_MILLIS = 1.5;

  @Override
  public List<Row> measure(Scene scene) throws Exception {
    Endpoint bare = scene.boxd().endpoint();
    try (Sandbox sandbox = scene.platform().sandbox();
        Connection toBare = bare.connect();
        Connection toRelay = sandbox.relay().connect()) {
      Lane floor = new Lane("posix_spawn and wait", new Spawn(List.of("/bin/true"))::run);
      Lane boxd = lane("bare boxd", toBare, bare);
      Lane relay = lane("through the relay", toRelay, sandbox.relay());
      PLAN.measure(List.of(floor, boxd, relay));
      return rows(floor, boxd, relay);
    }
  }

  private static Lane lane(String name, Connection connection, Endpoint endpoint) {
    ByteBuffer request = endpoint.post("/exec", Sandbox.TRUE);
    return new Lane(name, () -> connection.call(request).require(200));
  }

  private static List<Row> rows(Lane floor, Lane boxd, Lane relay) {
    Row least = row("exec.floor", floor);
    return List.of(
        least,
        row("exec.bare", boxd).over(least),
        row("exec.relay", relay).over(least).within(Goal.atMost(GOAL_MILLIS)));
  }

  private static Row row(String id, Lane lane) {
    return Row.of(id, "exec true, " + lane.name(), "ms", lane.samples());
  }
}
