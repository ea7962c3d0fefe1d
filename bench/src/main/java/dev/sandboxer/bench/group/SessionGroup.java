package dev.sandboxer.bench.group;

import dev.sandboxer.bench.http.Connection;
import dev.sandboxer.bench.http.Endpoint;
import dev.sandboxer.bench.http.Swarm;
import dev.sandboxer.bench.measure.Interleaving;
import dev.sandboxer.bench.measure.Lane;
import dev.sandboxer.bench.measure.Samples;
import dev.sandboxer.bench.report.Goal;
import dev.sandboxer.bench.report.Row;
import dev.sandboxer.bench.subject.Scene;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;

/** A live session: get and ensure, each with a freshly signed token, heartbeats, and revocation. */
public final class SessionGroup implements Group {

  private static final String PATH = "/v1/sandbox/sessions";
  private static final String BODY = "{\"thread_id\": \"thr_bench\", \"mode\": \"%s\"}";
  private static final Interleaving PLAN = new Interleaving(Duration.ofSeconds(6), 20, 100);
  private static final int CONNECTIONS = 16;
  private static final int ROUNDS = 5;
  private static final Duration WARM_UP =
      Duration.ofSeconds(30); // compiled as after a minute's use
  private static final Duration ROUND = Duration.ofSeconds(1);
  private static final double MOST_MILLIS = 2;
  private static final double MOST_TIMES_GET = 1.2;
  private static final double LEAST_A_SECOND = 3_000;

  @Override
  public List<Row> measure(Scene scene) throws Exception {
    Endpoint api = scene.platform().api();
    ByteBuffer get = api.post(PATH, BODY.formatted("get"));
    ByteBuffer ensure = api.post(PATH, BODY.formatted("ensure"));
    try (Connection connection = api.connect()) {
      String id = connection.call(ensure).require(200).field("session_id");
      Lane gets = lane("get", connection, get);
      Lane ensures = lane("ensure", connection, ensure);
      PLAN.measure(List.of(gets, ensures));
      Row floor = row("session.get", "get of a live session, with a token", gets);
      Row beside = row("session.ensure", "ensure on a live scope", ensures).over(floor);
      Row ratio =
          Row.single(
                  "session.ensure.ratio",
                  "ensure beside get",
                  "times",
                  ensures.samples().p50() / gets.samples().p50())
              .within(Goal.atMost(MOST_TIMES_GET));
      Row many = many(api, "session.many.get", "get of a live session", get);
      Row beats =
          many(
              api,
              "session.many.heartbeat",
              "heartbeats",
              api.post(PATH + "/" + id + "/heartbeat", "{}"));
      Row revoked = new Revocations(api, ensure).measure(connection);
      var _ = connection.call(api.delete(PATH + "/" + id)).require(204);
      return List.of(floor.within(Goal.atMost(MOST_MILLIS)), beside, ratio, many, beats, revoked);
    }
  }

  private static Lane lane(String name, Connection connection, ByteBuffer request) {
    return new Lane(name, () -> connection.call(request).require(200));
  }

  private static Row row(String id, String title, Lane lane) {
    return Row.of(id, title, "ms", lane.samples());
  }

  private static Row many(Endpoint api, String id, String title, ByteBuffer request)
      throws IOException {
    Samples samples = new Samples();
    try (Swarm swarm = new Swarm(api, request, CONNECTIONS)) {
      double _ = swarm.rate(WARM_UP);
      for (int i = 0; i < ROUNDS; i++) {
        samples.add(swarm.rate(ROUND));
      }
    }
    return Row.of(id, title + ", " + CONNECTIONS + " connections", "1/s", samples)
        .within(Goal.atLeast(LEAST_A_SECOND));
  }
}
