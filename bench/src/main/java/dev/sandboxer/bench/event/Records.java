package dev.sandboxer.bench.event;

import dev.sandboxer.bench.subject.Platform;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

/**
 * The benchmarks' own platform's database, opened beside the platform: for what no API does, such
 * as a sink that comes and goes between two creates.
 */
final class Records implements AutoCloseable {

  private static final String COPY =
      """
      insert into event (id, subject, seq, tenant_id, sandbox_id, type, consumer, actor_type, state,
        detail)
      select 'evt_b' || lpad((n * 100 + seq)::text, 19, '0'), 'sb_b' || lpad(n::text, 19, '0'), seq,
        tenant_id, 'b' || lpad(n::text, 19, '0'), type, consumer, actor_type, state, detail
      from event cross join generate_series(?, ?) n where subject = ?
      """;

  private static final String WANTED =
      "select coalesce(sum(head_seq - next_seq + 1), 0) from sink_stream where next_seq <= head_seq";

  private final Connection connection;

  private Records(Connection connection) {
    this.connection = connection;
  }

  static Records of(Platform platform) throws IOException, SQLException {
    Records records = new Records(platform.database());
    records.run("create table bench_sink as select * from sink");
    return records;
  }

  Connection connection() {
    return connection;
  }

  void run(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private long number(String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      result.next();
      return result.getLong(1);
    }
  }

  /** No sink is known any more; what it had not got is forgotten. */
  void withoutSink() throws SQLException {
    run("delete from sink");
  }

  /** The sink is known again; it begins with what comes now. */
  void withSink() throws SQLException {
    run("insert into sink select * from bench_sink on conflict (id) do nothing");
  }

  /** How many events the sink has not got. */
  long wanted() throws SQLException {
    return number(WANTED);
  }

  /** Waits until all that happened is numbered and the sink has got it. */
  void settle(Duration patience) throws SQLException, IOException, InterruptedException {
    await(0, patience);
  }

  /** Waits until all that happened is numbered and the sink wants so many. */
  void await(long events, Duration patience)
      throws SQLException, IOException, InterruptedException {
    long end = System.nanoTime() + patience.toNanos();
    while (number("select count(*) from event where position is null") > 0 || wanted() != events) {
      if (System.nanoTime() - end > 0) {
        throw new IOException("the sink wants " + wanted() + " events, not " + events);
      }
      Thread.sleep(20);
    }
  }

  /**
   * Writes one sandbox's events once more under the ids of sandboxes that never were, numbered from
   * {@code first} to {@code last}.
   */
  void copy(String sandbox, int first, int last) throws SQLException {
    connection.setAutoCommit(false);
    run("set local session_replication_role = replica"); // without foreign keys
    try (PreparedStatement statement = connection.prepareStatement(COPY)) {
      statement.setInt(1, first);
      statement.setInt(2, last);
      statement.setString(3, sandbox);
      statement.executeUpdate();
    }
    connection.commit();
    connection.setAutoCommit(true);
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
