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
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Creating sandboxes up to ready, and destroying them until nothing is left, beside an nsjail that
 * only runs {@code true}.
 */
public final class CreateGroup implements Group {

  private static final Interleaving PLAN = new Interleaving(Duration.ZERO, 100, 1);
  private static final int WARM_UP = 150;
  private static final double GOAL_MILLIS = 30;

  @Override
  public List<Row> measure(Scene scene) throws Exception {
    Endpoint api = scene.platform().api();
    Lane floor = new Lane("nsjail running true, all namespaces", nsjail(scene)::run);
    List<Row> rows = new ArrayList<>(oneByOne(api, floor));
    rows.addAll(new ManyCreates(api, "local", "create").rows());
    return rows;
  }

  private static Spawn nsjail(Scene scene) {
    String binary = scene.distribution().nsjail().toString();
    return new Spawn(List.of(binary, "-Mo", "-Q", "--chroot", "/", "--", "/bin/true"));
  }

  private static List<Row> oneByOne(Endpoint api, Lane floor) throws Exception {
    try (Connection connection = api.connect()) {
      Deque<String> made = new ArrayDeque<>();
      ByteBuffer creation = Sandbox.creation(api);
      for (int i = 0; i < WARM_UP; i++) {
        Sandbox.destroy(connection, api, Sandbox.create(connection, creation));
      }
      Lane create =
          new Lane("create to ready", () -> made.add(Sandbox.create(connection, creation)));
      Lane delete =
          new Lane("delete to destroyed", () -> Sandbox.destroy(connection, api, made.remove()));
      PLAN.measure(List.of(floor, create, delete));
      return rows(floor, create, delete);
    }
  }

  private static List<Row> rows(Lane floor, Lane create, Lane delete) {
    Row least = row("create.floor", floor);
    return List.of(
        least,
        row("create", create).over(least).within(Goal.atMost(GOAL_MILLIS)),
        row("create.delete", delete).over(least));
  }

  private static Row row(String id, Lane lane) {
    return Row.of(id, lane.name(), "ms", lane.samples());
  }
}
