package dev.sandboxer.bench.abuse;

import dev.sandboxer.bench.http.Connection;
import dev.sandboxer.bench.http.Endpoint;
import dev.sandboxer.bench.measure.Samples;
import dev.sandboxer.bench.report.Goal;
import dev.sandboxer.bench.report.Row;
import dev.sandboxer.bench.subject.Platform;
import dev.sandboxer.bench.subject.Sandbox;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

/** Commands in one sandbox while a command in another takes all that it may have. */
final class Neighbours {

  private static final long QUIET_NANOS = Duration.ofSeconds(8).toNanos();
  private static final double GOAL_TIMES = 2;

  private record Bomb(String name, String command) {}

  private static final List<Bomb> BOMBS =
      List.of(
          new Bomb("forks", "f() { f | f & }; f; wait; sleep 60"),
          new Bomb("memory", "while :; do tail /dev/zero; done"),
          new Bomb("processor", "for i in $(seq 100); do (while :; do :; done) & done; wait"),
          new Bomb("disk", "while :; do cat /dev/zero > /workspace/full; done"));

  private Neighbours() {}

  static List<Row> measure(Platform platform) throws Exception {
    List<Row> rows = new ArrayList<>();
    try (Sandbox well = platform.sandbox();
        Sandbox hostile = platform.sandbox()) {
      Endpoint relay = well.relay();
      Callable<?> exec = Visitor.request(relay, relay.post("/exec", Sandbox.TRUE));
      Samples quiet = Visitor.beside(exec, () -> LockSupport.parkNanos(QUIET_NANOS));
      rows.add(Row.of("abuse.neighbour.quiet", "exec, the other sandbox idle", "ms", quiet));
      for (Bomb bomb : BOMBS) {
        Samples millis = Visitor.beside(exec, () -> explode(hostile, bomb.command()));
        String id = "abuse.neighbour." + bomb.name();
        String title = "exec beside another sandbox's " + bomb.name();
        rows.add(Row.of(id, title, "ms", millis));
        double times = millis.percentile(99) / quiet.percentile(99);
        rows.add(
            Row.single(id + ".p99", title + ", p99, times quiet", "x", times)
                .within(Goal.atMost(GOAL_TIMES)));
      }
    }
    return rows;
  }

  /** Returns when the time limit has ended it, and requires that the next command runs. */
  private static void explode(Sandbox sandbox, String bomb) throws Exception {
    Endpoint relay = sandbox.relay();
    String body = "{\"command\":\"exec > /dev/null 2>&1; %s\",\"timeout_ms\":8000}".formatted(bomb);
    try (Connection connection = relay.connect()) {
      var _ = connection.call(relay.post("/exec", body)).require(200);
      var _ = connection.call(relay.post("/exec", Sandbox.TRUE)).require(200);
    }
  }
}
