package dev.sandboxer.bench.ssh;

import dev.sandboxer.bench.http.Connection;
import dev.sandboxer.bench.http.Endpoint;
import dev.sandboxer.bench.measure.Interleaving;
import dev.sandboxer.bench.measure.Lane;
import dev.sandboxer.bench.report.Goal;
import dev.sandboxer.bench.report.Row;
import dev.sandboxer.bench.subject.Platform;
import dev.sandboxer.bench.subject.Program;
import dev.sandboxer.bench.subject.Sandbox;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * A project of two services, the second of which waits for the first one's health: as a sandbox,
 * and brought up by Compose itself on this machine. Each is gone before the other begins.
 *
 * @param folder for the project's file
 * @param engine the Engine's socket
 */
record Projects(Platform platform, Path folder, Path engine) {

  private static final String PROFILE = "ssh-project";
  private static final Interleaving PLAN = new Interleaving(Duration.ZERO, 20, 1);
  private static final int WARM_UP = 5;
  private static final double GOAL = 1.15;

  private static final String FILE =
      """
      services:
        db:
          image: sandboxer-test/busybox:latest
          command: httpd -f -p 5432 -h /etc
          healthcheck: {test: [CMD, wget, -qO-, "http://127.0.0.1:5432/hosts"], interval: 200ms, retries: 50}
        web:
          image: sandboxer-test/busybox:latest
          command: sh -c "wget -qO /tmp/page http://db:5432/hosts && exec httpd -f -p 8080 -h /tmp"
          depends_on: {db: {condition: service_healthy}}
          healthcheck: {test: [CMD, wget, -qO-, "http://127.0.0.1:8080/page"], interval: 200ms, retries: 50}
      """;

  /** A profile of a project. */
  static String profile(String name, String service, String file) {
    return """
    id: profile.%s
    version: 1
    extension: ext.compose-ssh
    isolation: {level: container}
    resources: {cpus: 2, memory: 1Gi, pids: 256, workspace: 256Mi, tmp: 64Mi}
    best_effort: [uid]
    options:
      service: %s
      files:
        compose.yaml: |
    """
            .formatted(name, service)
        + file.indent(6);
  }

  List<Row> rows() throws Exception {
    Files.writeString(folder.resolve("compose.yaml"), FILE);
    platform.profile(PROFILE, profile(PROFILE, "web", FILE));
    Endpoint api = platform.api();
    ByteBuffer creation = Sandbox.creation(api, PROFILE);
    Deque<String> made = new ArrayDeque<>();
    try (Connection connection = api.connect()) {
      Lane up = new Lane("compose up --wait, two services", () -> compose("up", "-d", "--wait"));
      Lane down = new Lane("", () -> compose("down", "-v", "-t", "0"));
      Lane create =
          new Lane(
              "create to ready, the same over SSH",
              () -> made.add(Sandbox.create(connection, creation)));
      Lane delete =
          new Lane("delete to destroyed", () -> Sandbox.destroy(connection, api, made.remove()));
      for (int i = 0; i < WARM_UP; i++) {
        Sandbox.destroy(connection, api, Sandbox.create(connection, creation));
      }
      PLAN.measure(List.of(up, down, create, delete));
      Row floor = Row.of("ssh.create.floor", up.name(), "ms", up.samples());
      Row ours = Row.of("ssh.create", create.name(), "ms", create.samples()).over(floor);
      return List.of(
          floor,
          ours,
          Row.ratio("ssh.create.ratio", "create, times compose up --wait", ours, floor)
              .within(Goal.atMost(GOAL)),
          Row.of("ssh.delete", delete.name(), "ms", delete.samples()));
    } finally {
      compose("down", "-v", "-t", "0");
    }
  }

  private void compose(String... words) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder("docker-compose", "-p", "sandboxer-bench", "-f", "compose.yaml");
    builder.command().addAll(List.of(words));
    builder.directory(folder.toFile()).environment().put("DOCKER_HOST", "unix://" + engine);
    Program.run(builder, folder.resolve("compose.log"));
  }
}
