package dev.sandboxer.bench.records;

import dev.sandboxer.bench.http.Connection;
import dev.sandboxer.bench.http.Endpoint;
import dev.sandboxer.bench.http.Reply;
import dev.sandboxer.bench.measure.Samples;
import dev.sandboxer.bench.report.Goal;
import dev.sandboxer.bench.report.Row;
import dev.sandboxer.bench.subject.Platform;
import dev.sandboxer.bench.subject.Sandbox;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;

/**
 * A platform that is killed while it makes a sandbox and started again: how long the sandbox takes
 * to be ready, counted from the start. One that was ready before the kill does not count.
 */
record Resumed(Platform platform) {

  private static final int TIMES = 5;
  private static final int MOST_TRIES = 30;
  private static final double GOAL_SECONDS = 5;

  Row row() throws IOException {
    Samples seconds = new Samples();
    for (int tries = 0; seconds.count() < TIMES; tries++) {
      if (tries == MOST_TRIES) {
        throw new IOException("creates are done before the platform is killed");
      }
      one(seconds);
    }
    return Row.of("records.resumed", "killed in a create: start until that is ready", "s", seconds)
        .within(Goal.atMost(GOAL_SECONDS));
  }

  private void one(Samples seconds) throws IOException {
    String id = begun(platform.api());
    platform.kill();
    Instant start = Instant.now();
    platform.up();
    Endpoint api = platform.api();
    try (Connection connection = api.connect()) {
      Reply sandbox = connection.call(api.get("/v1/sandboxes/" + id, "Prefer: wait=60"));
      Instant ready = Instant.parse(sandbox.require(200).field("ready_at"));
      if (ready.isAfter(start)) {
        seconds.add(Duration.between(start, ready).toNanos() / 1e9);
      }
      Sandbox.destroy(connection, api, id);
    }
  }

  private static String begun(Endpoint api) throws IOException {
    try (Connection connection = api.connect()) {
      return connection.call(Sandbox.creationAtOnce(api)).require(202).field("id");
    }
  }
}
