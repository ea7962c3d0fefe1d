package dev.sandboxer.bench.event;

import dev.sandboxer.bench.http.Connection;
import dev.sandboxer.bench.http.Endpoint;
import dev.sandboxer.bench.measure.Interleaving;
import dev.sandboxer.bench.measure.Lane;
import dev.sandboxer.bench.measure.Operation;
import dev.sandboxer.bench.report.Goal;
import dev.sandboxer.bench.report.Row;
import dev.sandboxer.bench.subject.Sandbox;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** Creates of real sandboxes without a sink and with one that fails, in turns. */
final class Faults {

  private static final int TURNS = 6;
  private static final int CREATES_A_TURN = 8;
  private static final int WARM_UP = 60;
  private static final double MOST_TIMES = 1.1;

  private final Hub hub;
  private final Records records;
  private final Endpoint api;

  Faults(Hub hub, Records records, Endpoint api) {
    this.hub = hub;
    this.records = records;
    this.api = api;
  }

  /**
   * One way in which creates are measured.
   *
   * @param id last part of the row's id
   * @param prepare brings it about
   * @param create timed
   */
  private record Way(String id, Operation prepare, Lane create) {}

  List<Row> rows() throws Exception {
    try (Connection connection = api.connect()) {
      Deque<String> made = new ArrayDeque<>();
      ByteBuffer creation = Sandbox.creation(api);
      Operation create = () -> made.add(Sandbox.create(connection, creation));
      for (int i = 0; i < WARM_UP; i++) {
        create.run();
        destroy(connection, made);
      }
      List<Way> ways = ways(create);
      for (int turn = 0; turn < TURNS; turn++) {
        for (Way way : ways) {
          way.prepare().run();
          new Interleaving(Duration.ZERO, CREATES_A_TURN, 1).measure(List.of(way.create()));
          destroy(connection, made);
        }
      }
      return rows(ways);
    } finally {
      hub.be(Hub.Mode.OK);
      failing(Hub.Mode.OK);
    }
  }

  private List<Way> ways(Operation create) {
    List<Way> ways = new ArrayList<>();
    ways.add(new Way("none", records::withoutSink, new Lane("without a sink", create)));
    for (Hub.Mode mode : Hub.Mode.values()) {
      Lane lane = new Lane("with a hub " + mode.told(), create);
      ways.add(new Way(mode.id(), () -> failing(mode), lane));
    }
    return ways;
  }

  /** A sink without a past, so that each turn meets the fault as something new. */
  private void failing(Hub.Mode mode) throws IOException, SQLException {
    records.withoutSink();
    hub.be(mode);
    records.withSink();
  }

  private void destroy(Connection connection, Deque<String> made) throws IOException {
    while (!made.isEmpty()) {
      Sandbox.destroy(connection, api, made.remove());
    }
  }

  private static List<Row> rows(List<Way> ways) {
    List<Row> rows = new ArrayList<>();
    for (Way way : ways) {
      Lane lane = way.create();
      Row row = Row.of("events.create." + way.id(), "create " + lane.name(), "ms", lane.samples());
      rows.add(rows.isEmpty() ? row : beside(row, rows.getFirst()));
    }
    return rows;
  }

  private static Row beside(Row row, Row none) {
    return row.over(none).within(Goal.atMost(none.p50() * MOST_TIMES));
  }
}
