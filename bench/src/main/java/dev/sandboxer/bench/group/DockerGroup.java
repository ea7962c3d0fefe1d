package dev.sandboxer.bench.group;

import dev.sandboxer.bench.http.Connection;
import dev.sandboxer.bench.http.Endpoint;
import dev.sandboxer.bench.measure.Interleaving;
import dev.sandboxer.bench.measure.Lane;
import dev.sandboxer.bench.report.Goal;
import dev.sandboxer.bench.report.Row;
import dev.sandboxer.bench.subject.DockerEngine;
import dev.sandboxer.bench.subject.Sandbox;
import dev.sandboxer.bench.subject.Scene;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Sandboxes in containers beside the Engine's own requests: create, exec, 100 MB, delete. The goals
 * are ratios, because an Engine's speed is the machine's.
 */
public final class DockerGroup implements Group {

  /** The profile, and the image that it names. */
  static final String PROFILE = "docker-debian";

  static final String IMAGE = "debian:bookworm-slim";

  private static final Interleaving CREATES = new Interleaving(Duration.ZERO, 40, 1);
  private static final Interleaving EXECS = new Interleaving(Duration.ofSeconds(2), 20, 10);
  private static final int WARM_UP = 100; // as the platform runs, not its first minute
  private static final double GOAL_CREATE = 1.1;
  private static final double GOAL_EXEC = 0.1;

  private final DockerEngine engine;

  /** Measures beside this engine, which the platform uses as well. */
  public DockerGroup(String host) {
    this.engine = DockerEngine.at(host);
  }

  @Override
  public List<Row> measure(Scene scene) throws Exception {
    Endpoint api = scene.platform().api();
    List<Row> rows = new ArrayList<>(creates(api));
    rows.addAll(new ManyCreates(api, PROFILE, "docker.create").rows());
    try (Connection connection = engine.api().connect();
        Sandbox sandbox = Sandbox.create(api, PROFILE)) {
      String container = engine.createAndStart(connection, IMAGE);
      try {
        rows.addAll(execs(connection, container, sandbox.relay()));
        rows.addAll(new DockerTransfers(engine, container, sandbox.relay()).rows());
      } finally {
        engine.remove(connection, container);
      }
    }
    return rows;
  }

  private List<Row> creates(Endpoint api) throws Exception {
    Deque<String> containers = new ArrayDeque<>();
    Deque<String> bare = new ArrayDeque<>();
    Deque<String> sandboxes = new ArrayDeque<>();
    try (Connection toEngine = engine.api().connect();
        Connection toApi = api.connect()) {
      ByteBuffer creation = Sandbox.creation(api, PROFILE);
      for (int i = 0; i < WARM_UP; i++) {
        Sandbox.destroy(toApi, api, Sandbox.create(toApi, creation));
      }
      Lane floor =
          new Lane(
              "create and start, Engine API",
              () -> containers.add(engine.createAndStart(toEngine, IMAGE)));
      Lane least =
          new Lane(
              "the same with NetworkDisabled",
              () -> bare.add(engine.createAndStartBare(toEngine, IMAGE)));
      Lane create =
          new Lane("create to ready, Docker", () -> sandboxes.add(Sandbox.create(toApi, creation)));
      Lane remove =
          new Lane("rm -f, Engine API", () -> engine.remove(toEngine, containers.remove()));
      Lane delete =
          new Lane(
              "delete to destroyed, Docker", () -> Sandbox.destroy(toApi, api, sandboxes.remove()));
      Lane removeBare = new Lane("", () -> engine.remove(toEngine, bare.remove()));
      CREATES.measure(List.of(floor, least, create, remove, removeBare, delete));
      List<Row> rows = new ArrayList<>(creates(floor, create, remove, delete));
      rows.add(1, row("docker.create.bare", least));
      return rows;
    }
  }

  private static List<Row> creates(Lane floor, Lane create, Lane remove, Lane delete) {
    Row least = row("docker.create.floor", floor);
    Row ours = row("docker.create", create).over(least);
    Row gone = row("docker.delete.floor", remove);
    return List.of(
        least,
        ours,
        Row.ratio("docker.create.ratio", "create, times the Engine's own", ours, least)
            .within(Goal.atMost(GOAL_CREATE)),
        gone,
        row("docker.delete", delete).over(gone));
  }

  private List<Row> execs(Connection connection, String container, Endpoint relay)
      throws Exception {
    ByteBuffer request = relay.post("/exec", Sandbox.TRUE);
    try (Connection toRelay = relay.connect()) {
      Lane floor = new Lane("exec true, Engine API", () -> engine.execTrue(connection, container));
      Lane ours =
          new Lane("exec true in a container, relay", () -> toRelay.call(request).require(200));
      EXECS.measure(List.of(floor, ours));
      Row least = row("docker.exec.floor", floor);
      Row through = row("docker.exec", ours).over(least);
      return List.of(
          least,
          through,
          Row.ratio("docker.exec.ratio", "exec, times the Engine's own", through, least)
              .within(Goal.atMost(GOAL_EXEC)));
    }
  }

  private static Row row(String id, Lane lane) {
    return Row.of(id, lane.name(), "ms", lane.samples());
  }
}
