package dev.sandboxer.platform.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sandboxer.platform.database.DatabaseAddress;
import dev.sandboxer.platform.database.EmbeddedPostgres;
import dev.sandboxer.platform.installation.Home;
import dev.sandboxer.platform.testing.RunningPlatform;
import dev.sandboxer.platform.testing.TestHome;
import java.io.IOException;
import java.nio.file.Files;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A start that gets no processor for longer than a transaction may be idle. The test holds a lock
 * that a transaction of the start waits for, stops the platform's process there, gives the lock
 * free, and lets the process go on once the transaction was idle for that long.
 */
class StalledStartIT {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String READY = "/v1/health/ready";
  private static final String IDLE_FOR_LONG =
      "state = 'idle in transaction' and state_change < clock_timestamp() - interval '6 s'";

  private final TestHome home = TestHome.create();
  private final TestHome other = TestHome.create();
  private EmbeddedPostgres postgres;

  @BeforeEach
  void database() {
    postgres = EmbeddedPostgres.start(Home.open(other.path()), TestHome.sharedCache());
  }

  @AfterEach
  void remove() {
    postgres.close();
    other.close();
    home.close();
  }

  private RunningPlatform start() {
    DatabaseAddress address = postgres.address();
    return RunningPlatform.start(
        home.path(),
        Map.of(
            "SANDBOXER_DB_URL", address.url(),
            "SANDBOXER_DB_USER", address.user(),
            "SANDBOXER_DB_PASSWORD_FILE", address.passwordFile().toString()));
  }

  private Connection connect() throws SQLException, IOException {
    DatabaseAddress address = postgres.address();
    return DriverManager.getConnection(
        address.url(), address.user(), Files.readString(address.passwordFile()).strip());
  }

  @Test
  void theFirstOneMigratesAllTheSame() throws Exception {
    survivesAStallBehind("create table tenant (id text)");
  }

  @ParameterizedTest
  @ValueSource(strings = {"installation", "signing_key", "api_key", "node"})
  void oneThatReadsAndMakesItsKeysEndsWell(String table) throws Exception {
    try (RunningPlatform first = start().ready()) {
      first.terminate();
    }
    survivesAStallBehind("lock table " + table + " in access exclusive mode");
  }

  private void survivesAStallBehind(String lock) throws Exception {
    try (Connection holder = connect();
        Connection observer = connect();
        Statement look = observer.createStatement()) {
      holder.setAutoCommit(false);
      execute(holder, lock);
      try (RunningPlatform platform = start()) {
        stall(platform, holder, look, "%", IDLE_FOR_LONG);
        assertThat(platform.ready().status(READY)).isEqualTo(200);
      }
    }
  }

  @Test
  void onceItServesATransactionThatIsIdleForLongIsEnded() throws Exception {
    try (RunningPlatform platform = start().ready();
        Connection holder = connect();
        Connection observer = connect();
        Statement look = observer.createStatement()) {
      holder.setAutoCommit(false);
      execute(holder, "lock table attempt in access exclusive mode");
      stall(platform, holder, look, "%update attempt set cleanup_owner%", "false");
      await().atMost(PATIENCE).until(() -> platform.status(READY) == 200);
    }
  }

  /**
   * Stops the platform while a statement of it waits for the holder's lock, and lets it go on once
   * the statement's session has ended, or is as the last argument says.
   */
  private static void stall(
      RunningPlatform platform, Connection holder, Statement look, String statement, String until)
      throws Exception {
    String waiting =
        "select coalesce(min(pid), 0) from pg_stat_activity"
            + " where wait_event_type = 'Lock' and query like '%s'".formatted(statement);
    await(statement).atMost(PATIENCE).until(() -> number(look, waiting) != 0);
    long session = number(look, waiting);
    signal("STOP", platform);
    try {
      holder.rollback();
      String others =
          "select count(*) from pg_stat_activity where pid = %d and not (%s)"
              .formatted(session, until);
      await(statement).atMost(PATIENCE).until(() -> number(look, others) == 0);
    } finally {
      signal("CONT", platform);
    }
  }

  private static long number(Statement statement, String sql) throws SQLException {
    try (ResultSet rows = statement.executeQuery(sql)) {
      return rows.next() ? rows.getLong(1) : 0;
    }
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static void signal(String name, RunningPlatform platform) throws Exception {
    assertThat(
            new ProcessBuilder("kill", "-" + name, Long.toString(platform.pid())).start().waitFor())
        .isZero();
  }
}
