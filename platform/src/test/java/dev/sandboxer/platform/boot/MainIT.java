package dev.sandboxer.platform.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.platform.database.DatabaseAddress;
import dev.sandboxer.platform.database.EmbeddedPostgres;
import dev.sandboxer.platform.installation.Home;
import dev.sandboxer.platform.testing.RunningPlatform;
import dev.sandboxer.platform.testing.TestHome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The packaged platform, started and ended in every way. */
class MainIT {

  private static final String READY = "/v1/health/ready";

  private final TestHome home = TestHome.create();

  @AfterEach
  void remove() {
    home.close();
  }

  @Test
  void servesSaysWhereAndEndsCleanly() throws IOException {
    try (RunningPlatform platform = start().ready()) {
      assertThat(read("url")).matches("http://127\\.0\\.0\\.1:[1-9]\\d+\n");
      assertThat(platform.status(READY)).isEqualTo(200);
      assertThat(read("run/platform.pid")).matches(platform.pid() + " \\d+\n");
      long postgres = postmaster();
      platform.terminate();
      assertThat(home.path().resolve("run/platform.pid")).doesNotExist();
      assertThat(home.path().resolve("url")).doesNotExist();
      assertThat(home.path().resolve("data/postmaster.pid")).doesNotExist();
      assertThat(runs(postgres)).isFalse();
      for (String line : platform.output().lines().toList()) {
        JsonNode event = new ObjectMapper().readTree(line);
        assertThat(event.path("at").asText()).isNotEmpty();
        assertThat(event.path("level").asText()).isIn("INFO", "WARN");
      }
      assertThat(platform.output()).doesNotContain(read("database.password").strip());
    }
  }

  @Test
  void aSecondStartOnTheSameHomeNamesTheFirst() {
    try (RunningPlatform first = start().ready();
        RunningPlatform second = start()) {
      assertThat(second.code()).isEqualTo(1);
      assertThat(second.output())
          .startsWith("sandboxer: home ")
          .contains("process id " + first.pid() + ":");
      assertThat(first.pid()).isPositive();
    }
  }

  @Test
  void comesBackAfterKillAsTheSameInstallation() throws IOException {
    String id;
    try (RunningPlatform platform = start().ready()) {
      id = read("installation");
      platform.kill();
    }
    try (RunningPlatform platform = start().ready()) {
      assertThat(platform.status(READY)).isEqualTo(200);
      assertThat(read("installation")).isEqualTo(id);
    }
  }

  @Test
  void survivesTheDeathOfItsDatabase() throws IOException {
    try (RunningPlatform platform = start().ready()) {
      long killed = postmaster();
      ProcessHandle.of(killed).orElseThrow().destroyForcibly();
      await()
          .atMost(Duration.ofSeconds(60))
          .ignoreExceptions()
          .until(() -> postmaster() != killed && platform.status(READY) == 200);
      assertThat(platform.output()).contains("ended by itself");
    }
  }

  @Test
  void runsAnOfflineCommandWithoutServing() throws IOException {
    try (RunningPlatform platform = start().ready()) {
      platform.terminate();
    }
    String before = read("admin.key");
    try (RunningPlatform command = RunningPlatform.start(home.path(), Map.of(), "reset-admin")) {
      assertThat(command.code()).as(command.output()).isZero();
      assertThat(home.path().resolve("url")).doesNotExist();
      assertThat(command.output()).doesNotContain("serves");
    }
    assertThat(read("admin.key")).isNotEqualTo(before);
  }

  @Test
  void anUnknownCommandIsRefusedWithTheOnesThereAre() {
    try (RunningPlatform command = RunningPlatform.start(home.path(), Map.of(), "resetadmin")) {
      assertThat(command.code()).isEqualTo(1);
      assertThat(command.output()).contains("unknown command 'resetadmin'", "reset-admin");
    }
  }

  @Test
  void usesTheOperatorsDatabaseAndRefusesANewerOne() throws IOException, SQLException {
    try (TestHome other = TestHome.create();
        EmbeddedPostgres postgres =
            EmbeddedPostgres.start(Home.open(other.path()), TestHome.sharedCache())) {
      DatabaseAddress address = postgres.address();
      Map<String, String> settings =
          Map.of(
              "SANDBOXER_DB_URL", address.url(),
              "SANDBOXER_DB_USER", address.user(),
              "SANDBOXER_DB_PASSWORD_FILE", address.passwordFile().toString());
      try (RunningPlatform platform = RunningPlatform.start(home.path(), settings).ready()) {
        assertThat(platform.status(READY)).isEqualTo(200);
        assertThat(home.path().resolve("data")).doesNotExist();
        platform.terminate();
      }
      execute(
          address,
          "insert into flyway_schema_history select 999, '999', 'from the future', type, 'V999__x',"
              + " 1, installed_by, now(), 1, true from flyway_schema_history limit 1");
      try (RunningPlatform platform = RunningPlatform.start(home.path(), settings)) {
        assertThat(platform.code()).isEqualTo(1);
        assertThat(platform.output()).contains("newer release (migration 999 'from the future')");
      }
    }
  }

  private RunningPlatform start() {
    return RunningPlatform.start(home.path(), Map.of());
  }

  private long postmaster() throws IOException {
    return Long.parseLong(
        Files.readAllLines(home.path().resolve("data/postmaster.pid")).getFirst().strip());
  }

  private String read(String name) throws IOException {
    return Files.readString(home.path().resolve(name));
  }

  private static boolean runs(long pid) throws IOException {
    Path stat = Path.of("/proc", Long.toString(pid), "stat");
    return Files.exists(stat) && !Files.readString(stat).contains(") Z ");
  }

  private static void execute(DatabaseAddress address, String sql)
      throws SQLException, IOException {
    String password = Files.readString(address.passwordFile()).strip();
    try (Connection connection =
            DriverManager.getConnection(address.url(), address.user(), password);
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
