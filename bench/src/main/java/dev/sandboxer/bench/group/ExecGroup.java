package dev.sandboxer.bench.group;

import dev.sandboxer.bench.http.Connection;
import dev.sandboxer.bench.http.Endpoint;
import dev.sandboxer.bench.measure.Interleaving;
import dev.sandboxer.bench.measure.Lane;
import dev.sandboxer.bench.measure.Samples;
import dev.sandboxer.bench.report.Goal;
import dev.sandboxer.bench.report.Row;
import dev.sandboxer.bench.subject.BareBoxd;
import dev.sandboxer.bench.subject.Sandbox;
import dev.sandboxer.bench.subject.Scene;
import dev.sandboxer.bench.subject.Spawn;
import dev.sandboxer.dataplane.Connections;
import dev.sandboxer.dataplane.Dataplane;
import dev.sandboxer.dataplane.exec.CapturedOutput;
import dev.sandboxer.dataplane.exec.CommandRequest;
import dev.sandboxer.dataplane.exec.Commands;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;

/** Running {@code true}: by the kernel alone, by a bare boxd, in a sandbox through the relay. */
public final class ExecGroup implements Group {

  private static final Interleaving PLAN = new Interleaving(Duration.ofSeconds(5), 40, 50);
  private static final double GOAL_MILLIS = 1.5;
  private static final int IDLE_ONES = 5;
  private static final double GOAL_MEGABYTES = 15;
  private static final double MEGABYTE = 1e6;

  @Override
  public List<Row> measure(Scene scene) throws Exception {
    Row idle = idle(scene);
    Endpoint bare = scene.boxd().endpoint();
    try (Sandbox sandbox = scene.platform().sandbox();
        Connection toBare = bare.connect();
        Connection toRelay = sandbox.relay().connect();
        Connections library = new Connections()) {
      Lane floor = new Lane("posix_spawn and wait", new Spawn(List.of("/bin/true"))::run);
      Lane boxd = lane("bare boxd", toBare, bare);
      Lane relay = lane("through the relay", toRelay, sandbox.relay());
      Lane client = client(library, sandbox.relay());
      PLAN.measure(List.of(floor, boxd, relay, client));
      return rows(idle, floor, boxd, relay, client);
    }
  }

  /** Of boxds that were given their configuration and nothing else to do. */
  private static Row idle(Scene scene) throws Exception {
    Samples held = new Samples();
    for (int i = 0; i < IDLE_ONES; i++) {
      try (BareBoxd fresh = scene.freshBoxd()) {
        held.add(fresh.residentBytes() / MEGABYTE);
      }
    }
    return Row.of("exec.idle", "resident memory of an idle boxd", "MB", held)
        .within(Goal.atMost(GOAL_MEGABYTES));
  }

  private static Lane lane(String name, Connection connection, Endpoint endpoint) {
    ByteBuffer request = endpoint.post("/exec", Sandbox.TRUE);
    return new Lane(name, () -> connection.call(request).require(200));
  }

  /** Each on a WebSocket of its own. */
  private static Lane client(Connections library, Endpoint relay) {
    URI base = URI.create("http://" + relay.host() + relay.base());
    Commands commands = new Commands(Dataplane.of(library, base, relay.token()));
    CommandRequest request = CommandRequest.of("true");
    return new Lane(
        "by the Java client",
        () -> {
          if (!commands.run(request, new CapturedOutput(0)).succeeded()) {
            throw new IOException("true did not succeed");
          }
        });
  }

  private static List<Row> rows(Row idle, Lane floor, Lane boxd, Lane relay, Lane client) {
    Row least = row("exec.floor", floor);
    return List.of(
        idle,
        least,
        row("exec.bare", boxd).over(least),
        row("exec.relay", relay).over(least).within(Goal.atMost(GOAL_MILLIS)),
        row("exec.client", client).over(least));
  }

  private static Row row(String id, Lane lane) {
    return Row.of(id, "exec true, " + lane.name(), "ms", lane.samples());
  }
}
