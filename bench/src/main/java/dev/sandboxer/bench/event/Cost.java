package dev.sandboxer.bench.event;

import dev.sandboxer.bench.measure.Interleaving;
import dev.sandboxer.bench.measure.Lane;
import dev.sandboxer.bench.report.Goal;
import dev.sandboxer.bench.report.Row;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A transaction that changes a sandbox's row as a transition does, without and with the event that
 * the platform writes in it. The platform runs beside it and numbers these events as any others.
 */
final class Cost {

  private static final Interleaving PLAN = new Interleaving(Duration.ofSeconds(1), 50, 40);
  private static final double GOAL_MILLIS = 0.5;

  private static final String CHANGE =
      "update sandbox set event_seq = event_seq + 1 where id = ? returning *";

  private static final String EVENT =
      """
      insert into event (id, subject, seq, tenant_id, sandbox_id, type, consumer, actor_type, state,
        detail)
      values (?, ?, ?, ?, ?, ?, cast(? as jsonb), ?, ?, cast(? as jsonb))
      """;

  private static final String MODEL =
      """
      select id, subject, seq, tenant_id, sandbox_id, type, consumer::text, actor_type, state,
        detail::text
      from event where subject = ? and type = 'sandbox.ready'
      """;

  private static final int ID = 1;
  private static final int SUBJECT = 2;
  private static final int SEQ = 3;
  private static final int SANDBOX = 5;
  private static final int COLUMNS = 10;

  private final Connection connection;
  private final @Nullable String[] model = new String[COLUMNS + 1];
  private long written;

  private Cost(Connection connection) {
    this.connection = connection;
  }

  /** Measures with the events of a sandbox as model; it is of no use afterwards. */
  static List<Row> rows(Records records, String sandbox) throws Exception {
    Cost cost = new Cost(records.connection());
    cost.read(sandbox);
    cost.connection.setAutoCommit(false);
    try (PreparedStatement change = cost.connection.prepareStatement(CHANGE);
        PreparedStatement event = cost.connection.prepareStatement(EVENT)) {
      Lane without = new Lane("a change of a sandbox's row", () -> cost.transaction(change, null));
      Lane with = new Lane("the same with its event", () -> cost.transaction(change, event));
      PLAN.measure(List.of(without, with));
      return rows(without, with);
    } finally {
      cost.connection.setAutoCommit(true);
    }
  }

  private static List<Row> rows(Lane without, Lane with) {
    Row floor = Row.of("events.cost.floor", without.name(), "ms", without.samples());
    Row both = Row.of("events.cost.with", with.name(), "ms", with.samples()).over(floor);
    double more = both.p50() - floor.p50();
    return List.of(
        floor,
        both,
        Row.single("events.cost", "an event's own cost (p50 less p50)", "ms", more)
            .within(Goal.atMost(GOAL_MILLIS)));
  }

  private void read(String sandbox) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(MODEL)) {
      statement.setString(1, sandbox);
      try (ResultSet event = statement.executeQuery()) {
        event.next();
        for (int column = 1; column <= COLUMNS; column++) {
          model[column] = event.getString(column);
        }
      }
    }
  }

  private void transaction(PreparedStatement change, @Nullable PreparedStatement event)
      throws SQLException {
    change.setString(1, model[SANDBOX]);
    long seq;
    try (ResultSet changed = change.executeQuery()) {
      changed.next();
      seq = changed.getLong("event_seq");
    }
    if (event != null) {
      write(event, seq);
    }
    connection.commit();
  }

  private void write(PreparedStatement event, long seq) throws SQLException {
    for (int column = SUBJECT; column <= COLUMNS; column++) {
      event.setString(column, model[column]);
    }
    event.setString(ID, "evt_a%019d".formatted(written++));
    event.setLong(SEQ, seq);
    event.executeUpdate();
  }
}
