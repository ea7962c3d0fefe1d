package dev.sandboxer.platform.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sandboxer.platform.installation.Home;
import dev.sandboxer.platform.installation.StartupException;
import dev.sandboxer.platform.testing.ForkedJava;
import dev.sandboxer.platform.testing.PostgresHost;
import dev.sandboxer.platform.testing.TestHome;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class EmbeddedPostgresTest {

  private final TestHome folder = TestHome.create();
  private final Home home = Home.open(folder.path());

  @AfterEach
  void remove() {
    folder.close();
  }

  @Test
  void unpacksTheVersionThatItsFolderNames() throws SQLException {
    try (EmbeddedPostgres postgres = start()) {
      assertThat(query(postgres, "show server_version")).isEqualTo(PostgresBinaries.VERSION);
      assertThat(query(postgres, "show fsync")).isEqualTo("on");
    }
  }

  @Test
  void keepsDataOverACleanRestart() throws SQLException {
    long pid;
    try (EmbeddedPostgres postgres = start()) {
      pid = postgres.pid();
      execute(postgres, "create table kept as select 'value' as v");
    }
    assertThat(ProcessHandle.of(pid)).isEmpty();
    try (EmbeddedPostgres postgres = start()) {
      assertThat(query(postgres, "select v from kept")).isEqualTo("value");
    }
  }

  @Test
  void wantsThePasswordWhichOnlyThisUserMayRead() throws IOException {
    try (EmbeddedPostgres postgres = start()) {
      DatabaseAddress address = postgres.address();
      assertThat(address.url()).doesNotContain(Files.readString(address.passwordFile()).strip());
      assertThat(
              PosixFilePermissions.toString(Files.getPosixFilePermissions(address.passwordFile())))
          .isEqualTo("rw-------");
      assertThatThrownBy(
              () -> DriverManager.getConnection(address.url(), address.user(), "guessed").close())
          .hasMessageContaining("password authentication failed");
    }
  }

  @Test
  void isStartedAgainAtTheSameAddressWhenKilled() throws SQLException {
    try (EmbeddedPostgres postgres = start()) {
      DatabaseAddress address = postgres.address();
      execute(postgres, "create table kept as select 'value' as v");
      long killed = postgres.pid();
      assertThat(ProcessHandle.of(killed).orElseThrow().destroyForcibly()).isTrue();
      await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> postgres.pid() != 0 && postgres.pid() != killed);
      assertThat(postgres.address()).isEqualTo(address);
      assertThat(query(postgres, "select v from kept")).isEqualTo("value");
    }
  }

  @Test
  void endsWithItsProcessHoweverThatEnds() throws IOException, SQLException {
    Process host =
        new ForkedJava(List.of(), Map.of()).start(PostgresHost.class, folder.path().toString());
    ProcessHandle server = ProcessHandle.of(firstNumber(host)).orElseThrow();
    host.destroyForcibly();
    try (EmbeddedPostgres postgres = start()) {
      // Its file goes a moment before it does.
      await().atMost(Duration.ofSeconds(30)).until(() -> !runs(server.pid()));
      assertThat(query(postgres, "select 1")).isEqualTo("1");
    }
  }

  @Test
  void survivesTheDeathOfBothAtOnce() throws IOException, SQLException {
    Process host =
        new ForkedJava(List.of(), Map.of()).start(PostgresHost.class, folder.path().toString());
    ProcessHandle server = ProcessHandle.of(firstNumber(host)).orElseThrow();
    host.destroyForcibly();
    server.destroyForcibly();
    try (EmbeddedPostgres postgres = start()) {
      assertThat(query(postgres, "select 1")).isEqualTo("1");
    }
  }

  @Test
  void neverRunsAsRootWhereUserNamespacesAreClosed() throws IOException {
    Path refusing = Files.writeString(folder.path().resolve("unshare"), "#!/bin/sh\nexit 1\n");
    Files.setPosixFilePermissions(refusing, PosixFilePermissions.fromString("rwx------"));
    String path = folder.path() + ":" + System.getenv("PATH");
    Path data = folder.path().resolve("home");
    Process host =
        new ForkedJava(List.of(), Map.of("PATH", path)).start(PostgresHost.class, data.toString());
    long server = firstNumber(host);
    assertThat(Files.getAttribute(Path.of("/proc", Long.toString(server)), "unix:uid"))
        .isNotEqualTo(0);
    host.destroyForcibly();
    await().atMost(Duration.ofSeconds(30)).until(() -> !runs(server));
  }

  @Test
  void removesAPidFileWhoseProcessIsSomethingElseNow() throws IOException, SQLException {
    start().close();
    String own = Long.toString(ProcessHandle.current().pid());
    Files.writeString(
        folder.path().resolve("data/postmaster.pid"), own + "\n/nowhere\n0\n1\n\n\n0 0\nready\n");
    try (EmbeddedPostgres postgres = start()) {
      assertThat(query(postgres, "select 1")).isEqualTo("1");
    }
  }

  @Test
  void makesAHalfMadeDatabaseAgain() throws IOException, SQLException {
    Files.createDirectories(folder.path().resolve("data.new/base"));
    try (EmbeddedPostgres postgres = start()) {
      assertThat(query(postgres, "select 1")).isEqualTo("1");
    }
  }

  @Test
  void refusesDataOfAnotherVersion() throws IOException {
    Files.createDirectories(folder.path().resolve("data"));
    Files.writeString(folder.path().resolve("data/PG_VERSION"), "17\n");
    assertThatThrownBy(this::start)
        .isInstanceOf(StartupException.class)
        .hasMessageContaining("PostgreSQL 17");
  }

  @Test
  void saysThatAPasswordIsLost() throws IOException {
    start().close();
    Files.delete(folder.path().resolve("database.password"));
    assertThatThrownBy(this::start)
        .isInstanceOf(StartupException.class)
        .hasMessageContaining("database.password is missing");
  }

  @Test
  void namesAnotherServerOnTheSameData() {
    try (EmbeddedPostgres postgres = start()) {
      assertThatThrownBy(this::start)
          .isInstanceOf(StartupException.class)
          .hasMessageContaining("another PostgreSQL server")
          .hasMessageContaining(Long.toString(postgres.pid()));
    }
  }

  private EmbeddedPostgres start() {
    return EmbeddedPostgres.start(home, TestHome.sharedCache());
  }

  /** A process that nobody has collected yet no longer runs. */
  private static boolean runs(long pid) throws IOException {
    Path stat = Path.of("/proc", Long.toString(pid), "stat");
    return Files.exists(stat) && !Files.readString(stat).replaceFirst(".*\\) ", "").startsWith("Z");
  }

  private static long firstNumber(Process host) throws IOException {
    try (BufferedReader output = host.inputReader()) {
      String line = output.readLine();
      while (line != null && !line.matches("\\d+")) {
        line = output.readLine();
      }
      return Long.parseLong(String.valueOf(line));
    }
  }

  private static String query(EmbeddedPostgres postgres, String sql) throws SQLException {
    try (Connection connection = connect(postgres.address());
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      assertThat(rows.next()).isTrue();
      return rows.getString(1);
    }
  }

  private static void execute(EmbeddedPostgres postgres, String sql) throws SQLException {
    try (Connection connection = connect(postgres.address());
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static Connection connect(DatabaseAddress address) throws SQLException {
    return DriverManager.getConnection(address.url(), address.user(), read(address.passwordFile()));
  }

  private static String read(Path file) {
    try {
      return Files.readString(file).strip();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}
