package dev.sandboxer.bench.ssh;

import dev.sandboxer.bench.group.Group;
import dev.sandboxer.bench.http.Connection;
import dev.sandboxer.bench.http.Endpoint;
import dev.sandboxer.bench.measure.Interleaving;
import dev.sandboxer.bench.measure.Lane;
import dev.sandboxer.bench.report.Goal;
import dev.sandboxer.bench.report.Row;
import dev.sandboxer.bench.subject.DockerEngine;
import dev.sandboxer.bench.subject.LargeFile;
import dev.sandboxer.bench.subject.Platform;
import dev.sandboxer.bench.subject.Sandbox;
import dev.sandboxer.bench.subject.Scene;
import dev.sandboxer.bench.subject.SshMachine;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;

/**
 * This machine's Engine behind sshd, for projects of Compose and as an Engine of another machine,
 * beside the same on its socket. The goals are ratios, because ciphers and processes cost what the
 * machine makes of them.
 */
public final class SshGroup implements Group {

  private static final String COMPOSE = "ext.compose-ssh";
  private static final String DOCKER = "ext.docker";
  private static final String PROJECTS = "bench-projects";
  private static final String ENGINE = "bench-engine";
  private static final String PROJECT_PROFILE = "ssh-idle";
  private static final String ENGINE_PROFILE = "ssh-engine";

  /** Commands beside services whose health is looked at would be measured with that. */
  private static final String IDLE =
      """
      services:
        app: {image: "sandboxer-test/busybox:latest", command: sleep 100000}
      """;

  private static final String OF_THAT_ENGINE =
      """
      id: profile.ssh-engine
      version: 1
      image: debian:bookworm-slim
      isolation: {level: container}
      resources: {cpus: 1, memory: 512Mi, pids: 128, workspace: 256Mi, tmp: 64Mi}
      routing: {candidates: [{extension: ext.docker, host: bench-engine}]}
      """;

  private static final Interleaving EXECS = new Interleaving(Duration.ofSeconds(4), 40, 25);
  private static final Interleaving TRANSFERS = new Interleaving(Duration.ofSeconds(3), 9, 1);
  private static final int SANDBOXES = 20;
  private static final double MOST_TIMES_EXEC = 2.5;
  private static final double LEAST_OF_CHANNEL = 0.7;

  private final Path engine;

  /** With this Engine, which the platform uses as well. */
  public SshGroup(String host) {
    this.engine = DockerEngine.at(host).socket();
  }

  @Override
  public List<Row> measure(Scene scene) throws Exception {
    Platform platform = scene.platform();
    Endpoint api = platform.api();
    List<Row> rows = new ArrayList<>();
    // The first one, while there is no other Engine that it could be on.
    try (Sandbox near = Sandbox.create(api, "docker-debian");
        SshMachine projects = SshMachine.start();
        SshMachine engines = SshMachine.start()) {
      projects.register(api, PROJECTS, COMPOSE, ofProjects(projects.folder()));
      engines.register(api, ENGINE, DOCKER, Map.of("docker_socket", engine.toString()));
      platform.profile(PROJECT_PROFILE, Projects.profile(PROJECT_PROFILE, "app", IDLE));
      platform.profile(ENGINE_PROFILE, OF_THAT_ENGINE);
      rows.addAll(new Projects(platform, projects.folder(), engine).rows());
      try (Sandbox project = Sandbox.create(api, PROJECT_PROFILE);
          Sandbox far = Sandbox.create(api, ENGINE_PROFILE)) {
        rows.addAll(execs(near.relay(), project.relay(), far.relay()));
        rows.addAll(transfers(projects, project.relay(), far.relay()));
      }
      rows.add(connections("projects", platform, projects, PROJECT_PROFILE));
      rows.add(connections("containers", platform, engines, ENGINE_PROFILE));
      try (Connection connection = api.connect()) {
        for (String host : List.of(PROJECTS, ENGINE)) {
          var _ = connection.call(api.delete("/v1/hosts/" + host)).require(204);
        }
      }
    }
    return rows;
  }

  private Map<String, Object> ofProjects(Path folder) {
    return Map.of(
        "docker_socket",
        engine.toString(),
        "remote_dir",
        folder.resolve("r").toString(),
        "compose",
        "docker-compose",
        "path",
        System.getenv("PATH"));
  }

  private static List<Row> execs(Endpoint near, Endpoint project, Endpoint far) throws Exception {
    try (Connection toNear = near.connect();
        Connection toProject = project.connect();
        Connection toFar = far.connect()) {
      Lane local = exec("in a container of this machine", toNear, near);
      Lane compose = exec("in a project over SSH", toProject, project);
      Lane docker = exec("in a container over SSH", toFar, far);
      EXECS.measure(List.of(local, compose, docker));
      Row floor = Row.of("ssh.exec.floor", local.name(), "ms", local.samples());
      List<Row> rows = new ArrayList<>(List.of(floor));
      rows.addAll(exec("ssh.exec.project", compose, floor));
      rows.addAll(exec("ssh.exec.engine", docker, floor));
      return rows;
    }
  }

  private static Lane exec(String where, Connection connection, Endpoint relay) {
    ByteBuffer request = relay.post("/exec", Sandbox.TRUE);
    return new Lane("exec true " + where, () -> connection.call(request).require(200));
  }

  private static List<Row> exec(String id, Lane lane, Row floor) {
    Row ours = Row.of(id, lane.name(), "ms", lane.samples()).over(floor);
    return List.of(
        ours,
        Row.ratio(id + ".ratio", "the same, times this machine's", ours, floor)
            .within(Goal.atMost(MOST_TIMES_EXEC)));
  }

  private static List<Row> transfers(SshMachine machine, Endpoint project, Endpoint far)
      throws Exception {
    LargeFile inProject = LargeFile.at(project);
    LargeFile inContainer = LargeFile.at(far);
    try (BareChannel bare = BareChannel.to(machine.server())) {
      Lane bareUp = new Lane("up, sshj's bare channel", bare::upload);
      Lane bareDown = new Lane("down, sshj's bare channel", bare::download);
      Lane up = new Lane("up, a project over SSH", inProject::upload);
      Lane down = new Lane("down, a project over SSH", inProject::download);
      Lane upThere = new Lane("up, a container over SSH", inContainer::upload);
      Lane downThere = new Lane("down, a container over SSH", inContainer::download);
      TRANSFERS.measure(List.of(bareUp, up, upThere, bareDown, down, downThere));
      List<Row> rows = new ArrayList<>(transfers("up", bareUp, up, upThere));
      rows.addAll(transfers("down", bareDown, down, downThere));
      return rows;
    }
  }

  private static List<Row> transfers(String way, Lane bare, Lane project, Lane container) {
    String id = "ssh.100mb." + way;
    Row floor = LargeFile.row(id + ".floor", bare);
    Row ours = LargeFile.row(id, project).over(floor);
    return List.of(
        floor,
        ours,
        Row.ratio(id + ".ratio", "100 MB " + way + ", times the bare channel", ours, floor)
            .within(Goal.atLeast(LEAST_OF_CHANNEL)),
        LargeFile.row(id + ".engine", container).over(floor));
  }

  /** Of the platform to a machine's sshd, at most, while each sandbox there has a connection. */
  private static Row connections(String what, Platform platform, SshMachine machine, String profile)
      throws Exception {
    long most = 0;
    Deque<AutoCloseable> open = new ArrayDeque<>();
    try {
      for (int i = 0; i < SANDBOXES; i++) {
        Sandbox sandbox = Sandbox.create(platform.api(), profile);
        open.push(sandbox);
        Endpoint relay = sandbox.relay();
        Connection connection = relay.connect();
        open.push(connection);
        var _ = connection.call(relay.post("/exec", Sandbox.TRUE)).require(200);
        most = Math.max(most, platform.connectionsTo(machine.server().port()));
      }
    } finally {
      for (AutoCloseable each : open) {
        each.close();
      }
    }
    if (most == 0) {
      throw new IOException("no connection to sshd was seen");
    }
    String title = "SSH connections of %d %s".formatted(SANDBOXES, what);
    return Row.single("ssh.connections." + what, title, "1", (double) most).within(Goal.atMost(1));
  }
}
