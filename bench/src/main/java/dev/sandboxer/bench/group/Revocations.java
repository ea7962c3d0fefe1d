package dev.sandboxer.bench.group;

import dev.sandboxer.bench.http.Connection;
import dev.sandboxer.bench.http.Endpoint;
import dev.sandboxer.bench.http.Reply;
import dev.sandboxer.bench.measure.Samples;
import dev.sandboxer.bench.report.Goal;
import dev.sandboxer.bench.report.Row;
import java.io.IOException;
import java.nio.ByteBuffer;

/** How long a session's token is still taken after its revocation was answered. */
final class Revocations {

  private static final int ROUNDS = 20;
  private static final double MOST_MILLIS = 1_000;
  private static final double NANOS_A_MILLI = 1e6;
  private static final int REFUSED = 401;

  private final Endpoint api;
  private final ByteBuffer ensure;

  Revocations(Endpoint api, ByteBuffer ensure) {
    this.api = api;
    this.ensure = ensure;
  }

  Row measure(Connection connection) throws IOException {
    Samples samples = new Samples();
    for (int i = 0; i < ROUNDS; i++) {
      samples.add(millis(connection));
    }
    return Row.of("session.revoked", "revocation until its token is refused", "ms", samples)
        .within(Goal.atMost(MOST_MILLIS));
  }

  private double millis(Connection connection) throws IOException {
    Reply session = connection.call(ensure).require(200);
    String id = session.field("session_id");
    Endpoint inside = new Endpoint(api.address(), api.host(), api.base(), session.field("token"));
    ByteBuffer health = inside.get("/dp/" + sandbox(session) + "/v1/health");
    var _ = connection.call(health).require(200);
    String body = "{\"session_id\": \"%s\"}".formatted(id);
    var _ = connection.call(api.post("/v1/revocations", body)).require(201);
    long begin = System.nanoTime();
    while (connection.call(health).status() != REFUSED) {
      Thread.onSpinWait();
    }
    return (System.nanoTime() - begin) / NANOS_A_MILLI;
  }

  private static String sandbox(Reply session) throws IOException {
    if (session.json().get("sandbox") instanceof java.util.Map<?, ?> sandbox
        && sandbox.get("id") instanceof String id) {
      return id;
    }
    throw new IOException("no sandbox.id in " + session.text());
  }
}
