package dev.sandboxer.bench.records;

import dev.sandboxer.bench.backend.NothingBackend;
import dev.sandboxer.bench.subject.Platform;
import dev.sandboxer.bench.subject.Sandbox;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * Records of 10,000 live sandboxes and of 10,000 destroyed ones of a hundred tenants, copied from
 * one sandbox of the backend that does nothing, which lists the live ones.
 */
final class Copies implements AutoCloseable {

  /** How many live, and how many are destroyed. */
  static final int EACH = 10_000;

  private static final int TENANTS = 100;

  private static final String TENANT =
      """
      insert into tenant
      select r.* from tenant t cross join generate_series(0, ? - 1) n
        cross join lateral jsonb_populate_record(t, jsonb_build_object(
          'id', 'ten_r' || lpad(n::text, 19, '0'), 'name', 'records-' || n)) r
      where t.id = (select min(id) from tenant)
      """;

  private static final String SANDBOX =
      """
      insert into sandbox
      select r.* from sandbox s
        cross join generate_series(?, ?) n
        cross join lateral jsonb_populate_record(s, jsonb_build_object(
          'id', 'r' || lpad(n::text, 19, '0'), 'attempt_id', 'att_r' || lpad(n::text, 19, '0'),
          'tenant_id', 'ten_r' || lpad((n %% %d)::text, 19, '0'),
          'expires_at', now() + interval '1 hour', 'hard_expires_at', now() + interval '1 hour')
          || jsonb_build_object(%s)) r
      where s.id = ?
      """;

  private static final String ATTEMPT =
      """
      insert into attempt
      select r.* from attempt a
        cross join generate_series(?, ?) n
        cross join lateral jsonb_populate_record(a, jsonb_build_object(
          'id', 'att_r' || lpad(n::text, 19, '0'), 'sandbox_id', 'r' || lpad(n::text, 19, '0'),
          'tenant_id', 'ten_r' || lpad((n %% %d)::text, 19, '0'), 'uid', null,
          'provider_uid', 'r' || lpad(n::text, 19, '0') || '-1-1',
          'handle_data', 'r' || lpad(n::text, 19, '0') || '-1-1')
          || jsonb_build_object(%s)) r
      where a.sandbox_id = ?
      """;

  private static final String DESTROYED =
      """
      'state', 'destroyed', 'desired', 'gone', 'end_reason', 'deleted', 'cleanup', 'done',
      'ended_at', now(), 'destroyed_at', now()
      """;

  private static final String CLEANED =
      """
      'phase', 'ended', 'cleanup', 'done', 'cleanup_due_at', now(), 'ended_at', now(),
      'cleaned_at', now()
      """;

  private static final String LIVE =
      """
      select a.provider_uid from sandbox s join attempt a on a.id = s.attempt_id
      where s.state = 'ready' and s.id like 'r00000%' order by s.id
      """;

  private final Platform platform;
  private final Connection connection;

  Copies(Platform platform) throws IOException, SQLException {
    this.platform = platform;
    this.connection = platform.database();
  }

  /** Writes them, and what the backend lists. */
  void write() throws IOException, SQLException {
    try (Sandbox model = Sandbox.create(platform.api(), NothingBackend.PROFILE)) {
      withoutTriggers(() -> copy(model.id().substring("sb_".length())));
    }
    run("analyze sandbox, attempt");
    Path listed = NothingBackend.listed(platform);
    Files.createDirectories(listed.getParent());
    Files.write(listed, live());
    run("checkpoint"); // else the server writes all that behind what is measured
  }

  private void copy(String model) throws SQLException {
    try (PreparedStatement tenants = connection.prepareStatement(TENANT)) {
      tenants.setInt(1, TENANTS);
      tenants.executeUpdate();
    }
    insert(SANDBOX, "", 1, model);
    insert(ATTEMPT, "", 1, model);
    insert(SANDBOX, DESTROYED, EACH + 1, model);
    insert(ATTEMPT, CLEANED, EACH + 1, model);
  }

  private void insert(String into, String more, int first, String model) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(into.formatted(TENANTS, more))) {
      statement.setInt(1, first);
      statement.setInt(2, first + EACH - 1);
      statement.setString(3, model);
      if (statement.executeUpdate() != EACH) {
        throw new SQLException("the model is not one row: " + model);
      }
    }
  }

  private List<String> live() throws SQLException {
    List<String> names = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(LIVE)) {
      while (rows.next()) {
        names.add(rows.getString(1));
      }
    }
    return names;
  }

  /** Removes them again. */
  void remove() throws IOException, SQLException {
    Files.deleteIfExists(NothingBackend.listed(platform));
    withoutTriggers(
        () -> {
          run("delete from sandbox where id like 'r00000%'");
          run("delete from attempt where id like 'att_r00000%'");
          run("delete from tenant where id like 'ten_r00000%'");
        });
    run("vacuum analyze sandbox, attempt");
    run("checkpoint");
  }

  /** Statements of one transaction. */
  private interface Change {
    void make() throws SQLException;
  }

  /** Without foreign keys and the check of transitions. */
  private void withoutTriggers(Change change) throws SQLException {
    connection.setAutoCommit(false);
    try {
      run("set local session_replication_role = replica");
      change.make();
      connection.commit();
    } finally {
      connection.rollback();
      connection.setAutoCommit(true);
    }
  }

  private void run(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
