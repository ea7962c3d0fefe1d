package dev.sandboxer.platform.database;

import dev.sandboxer.platform.installation.Home;
import dev.sandboxer.platform.installation.StartupException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;

/** The folder with the embedded database's files, its user and its password. */
final class Cluster {

  static final String USER = "sandboxer";
  private static final String MAJOR = "18";

  private final Home home;
  private final PostgresBinaries binaries;
  private final PostgresLauncher launcher;

  Cluster(Home home, PostgresBinaries binaries, PostgresLauncher launcher) {
    this.home = home;
    this.binaries = binaries;
    this.launcher = launcher;
  }

  Path data() {
    return home.resolve("data");
  }

  Path passwordFile() {
    return home.resolve("database.password");
  }

  Path log() {
    return home.resolve("logs").resolve("postgres.log");
  }

  /** Makes the database unless it is there; a half-made one is made again. */
  void prepare() throws IOException, InterruptedException {
    if (Files.exists(data())) {
      checkUsable();
      return;
    }
    if (Files.notExists(passwordFile())) {
      byte[] secret = new byte[32];
      new SecureRandom().nextBytes(secret);
      home.writePrivate(
          "database.password", HexFormat.of().formatHex(secret).getBytes(StandardCharsets.UTF_8));
    }
    Path draft = home.resolve("data.new");
    FileTree.delete(draft);
    launcher.makeFolder(draft);
    initialize(draft);
    Files.move(draft, data(), StandardCopyOption.ATOMIC_MOVE);
  }

  private void checkUsable() throws IOException {
    String version = Files.readString(data().resolve("PG_VERSION")).strip();
    if (!version.equals(MAJOR)) {
      throw new StartupException(
          "%s was made by PostgreSQL %s, this release has %s: dump it with the old release and load it into the new one"
              .formatted(data(), version, MAJOR));
    }
    if (Files.notExists(passwordFile())) {
      throw new StartupException(
          "%s is missing, so that %s cannot be opened: restore it"
              .formatted(passwordFile(), data()));
    }
  }

  private void initialize(Path draft) throws IOException, InterruptedException {
    List<String> command =
        List.of(
            binaries.program("initdb"),
            "--pgdata=" + draft,
            "--username=" + USER,
            "--pwfile=" + passwordFile(),
            "--auth=scram-sha-256",
            "--encoding=UTF8",
            "--locale=C",
            "--locale-provider=builtin",
            "--builtin-locale=C.UTF-8",
            "--wal-segsize=4");
    ServerLog log = ServerLog.at(log());
    int code = launcher.program(command, log()).start().waitFor();
    if (code != 0) {
      throw log.failure("the embedded database cannot be made in " + data());
    }
  }
}
