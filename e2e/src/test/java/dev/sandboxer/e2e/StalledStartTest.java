package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A start that gets no processor for longer than a transaction may be idle. The test holds a lock
 * that a transaction of the start waits for, stops the platform's process there, gives the lock
 * free, and lets the process go on once the transaction was idle for that long. In an order: the
 * first start migrates, the next ones find what it made.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class StalledStartTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String IDLE_FOR_LONG =
      "state = 'idle in transaction' and state_change < clock_timestamp() - interval '6 s'";

  private Database database;
  private @Nullable Platform platform;

  @BeforeAll
  void database() {
    database = Database.start();
  }

  @AfterAll
  void stop() {
    if (platform != null) {
      platform.close();
    }
    database.close();
  }

  @Test
  @Order(1)
  void theFirstOneMigratesAllTheSame() throws Exception {
    survivesAStallBehind(
        "create table tenant (id text)",
        "create table tenant%",
        () -> {
          Platform begun = Platform.begin(database.settings());
          platform = begun;
          return begun;
        });
  }

  @ParameterizedTest
  @Order(2)
  @CsvSource({
    "installation, insert into installation",
    "signing_key, select exists (select 1 from signing_key",
    "api_key, lock table api_key",
    "node, insert into node"
  })
  void oneThatReadsAndMakesItsKeysEndsWell(String table, String statement) throws Exception {
    Platform ended = running();
    ended.terminate();
    survivesAStallBehind(
        "lock table " + table + " in access exclusive mode",
        statement + "%",
        () -> {
          ended.beginAgain(database.settings());
          return ended;
        });
  }

  /** What the test before this one left, or a new one where this test runs alone. */
  private Platform running() {
    Platform running = platform == null ? Platform.start(database.settings()) : platform;
    platform = running;
    return running;
  }

  private void survivesAStallBehind(String lock, String statement, Supplier<Platform> start)
      throws Exception {
    try (Connection holder = database.connect();
        Connection observer = database.connect();
        Statement look = observer.createStatement()) {
      execute(holder, lock);
      Platform begun = start.get();
      stall(begun, holder, look, statement, IDLE_FOR_LONG);
      begun.awaitReady();
    }
  }

  @Test
  @Order(3)
  void onceItServesATransactionThatIsIdleForLongIsEnded() throws Exception {
    try (Connection holder = database.connect();
        Connection observer = database.connect();
        Statement look = observer.createStatement()) {
      Platform serving = running();
      execute(holder, "lock table attempt in access exclusive mode");
      stall(serving, holder, look, "%update attempt set cleanup_owner%", "false");
      await().atMost(PATIENCE).until(() -> serving.api().readyStatus() == 200);
    }
  }

  /**
   * Stops the platform while a statement of it waits for the holder's lock, and lets it go on once
   * the statement's session has ended, or is as the last argument says. The statement is named:
   * jobs that are no part of the start may wait for the same lock.
   */
  private static void stall(
      Platform platform, Connection holder, Statement look, String statement, String until)
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

  private static void execute(Connection holder, String sql) throws SQLException {
    holder.setAutoCommit(false);
    try (Statement statement = holder.createStatement()) {
      statement.execute(sql);
    }
  }

  private static void signal(String name, Platform platform) throws Exception {
    assertThat(
            new ProcessBuilder("kill", "-" + name, Long.toString(platform.process().pid()))
                .start()
                .waitFor())
        .isZero();
  }
}
