package dev.sandboxer.bench.group;

import dev.sandboxer.bench.http.Endpoint;
import dev.sandboxer.bench.report.Goal;
import dev.sandboxer.bench.report.Row;
import dev.sandboxer.bench.subject.Sandbox;
import dev.sandboxer.bench.subject.Scene;
import java.util.ArrayList;
import java.util.List;

/** What the relay costs over the bare Unix socket: latency, requests a second, bytes a second. */
public final class RelayGroup implements Group {

  private static final double EXECS_A_SECOND = 1_500;

  @Override
  public List<Row> measure(Scene scene) throws Exception {
    Endpoint bare = scene.boxd().endpoint();
    try (Sandbox sandbox = scene.platform().sandbox()) {
      Endpoint relay = sandbox.relay();
      List<Row> rows = new ArrayList<>(new SmallRequests(bare, relay).rows());
      rows.addAll(
          new ManyConnections(
                  bare, relay, "health", "GET health", bare.get("/health"), relay.get("/health"))
              .rows());
      rows.addAll(
          new ManyConnections(
                  bare,
                  relay,
                  "exec",
                  "exec true",
                  bare.post("/exec", Sandbox.TRUE),
                  relay.post("/exec", Sandbox.TRUE))
              .rows());
      rows.add(rows.removeLast().within(Goal.atLeast(EXECS_A_SECOND)));
      rows.addAll(new Transfers(bare, relay).rows());
      return rows;
    }
  }
}
