package dev.sandboxer.bench.group;

import dev.sandboxer.bench.http.Endpoint;
import dev.sandboxer.bench.http.Swarm;
import dev.sandboxer.bench.measure.Samples;
import dev.sandboxer.bench.report.Row;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;

/** One request repeated on 16 connections at once: how many a second. */
record ManyConnections(
    Endpoint bare, Endpoint relay, String id, String title, ByteBuffer toBare, ByteBuffer toRelay) {

  private static final int CONNECTIONS = 16;
  private static final int ROUNDS = 5;
  private static final Duration WARM_UP = Duration.ofSeconds(2);
  private static final Duration ROUND = Duration.ofSeconds(1);

  List<Row> rows() throws Exception {
    Samples direct = new Samples();
    Samples relayed = new Samples();
    try (Swarm first = new Swarm(bare, toBare, CONNECTIONS);
        Swarm second = new Swarm(relay, toRelay, CONNECTIONS)) {
      double _ = first.rate(WARM_UP) + second.rate(WARM_UP);
      for (int i = 0; i < ROUNDS; i++) {
        direct.add(first.rate(ROUND));
        relayed.add(second.rate(ROUND));
      }
    }
    Row floor = row("relay.many." + id + ".bare", "bare", direct);
    return List.of(floor, row("relay.many." + id, "relay", relayed).over(floor));
  }

  private Row row(String rowId, String way, Samples samples) {
    return Row.of(rowId, title + ", " + CONNECTIONS + " connections, " + way, "1/s", samples);
  }
}
