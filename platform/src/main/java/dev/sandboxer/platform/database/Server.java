package dev.sandboxer.platform.database;

import dev.sandboxer.platform.installation.StartupException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Starts one server process and waits until it takes connections. */
final class Server {

  private static final Duration START_PATIENCE = Duration.ofMinutes(2);
  private static final Duration REMAINS_PATIENCE = Duration.ofSeconds(30);
  private static final long POLL_MILLIS = 5;

  // A small server for one node: its own pool and a few more; durable, as fsync stays on.
  private static final List<String> SETTINGS =
      List.of(
          "listen_addresses=127.0.0.1",
          "unix_socket_directories=",
          "max_connections=40",
          "shared_buffers=32MB",
          "max_wal_size=128MB",
          "min_wal_size=16MB",
          "wal_level=minimal",
          "max_wal_senders=0",
          "max_worker_processes=1",
          "max_parallel_workers=0",
          "max_logical_replication_workers=0",
          "autovacuum_max_workers=1",
          "io_method=sync",
          "jit=off",
          "huge_pages=off",
          "timezone=UTC",
          "log_timezone=UTC",
          "log_min_messages=warning");

  private final Cluster cluster;
  private final PostgresBinaries binaries;
  private final PostgresLauncher launcher;
  private final PostmasterPid pidFile;

  Server(Cluster cluster, PostgresBinaries binaries, PostgresLauncher launcher) {
    this.cluster = cluster;
    this.binaries = binaries;
    this.launcher = launcher;
    this.pidFile = new PostmasterPid(cluster.data());
  }

  /** Must be called on the thread that keeps the server: it ends with that thread. */
  Process start(int port) throws IOException, InterruptedException, PortTaken {
    long deadline = System.nanoTime() + REMAINS_PATIENCE.toNanos();
    while (true) {
      pidFile.awaitFree();
      ServerLog log = ServerLog.at(cluster.log());
      Process process = launcher.server(command(port), cluster.log()).start();
      if (awaitReady(process)) {
        return process;
      }
      if (log.says("Address already in use")) {
        throw new PortTaken(port);
      }
      // Processes of a killed server need a moment to see that it is gone.
      boolean remains = log.says("is still in use") || log.says("postmaster.pid\" already exists");
      if (!remains || System.nanoTime() > deadline) {
        throw log.failure("the embedded database in %s does not start".formatted(cluster.data()));
      }
      Thread.sleep(POLL_MILLIS * 20);
    }
  }

  private boolean awaitReady(Process process) throws InterruptedException {
    long deadline = System.nanoTime() + START_PATIENCE.toNanos();
    try {
      while (process.isAlive()) {
        if (pidFile.ready(process.pid())) {
          return true;
        }
        if (System.nanoTime() > deadline) {
          process.destroyForcibly();
          throw new StartupException(
              "the embedded database is not ready after %s: see %s"
                  .formatted(START_PATIENCE, cluster.log()));
        }
        Thread.sleep(POLL_MILLIS);
      }
      return false;
    } catch (InterruptedException e) {
      process.destroyForcibly();
      throw e;
    }
  }

  private List<String> command(int port) {
    List<String> command =
        new ArrayList<>(
            List.of(
                binaries.program("postgres"),
                "-D",
                cluster.data().toString(),
                "-c",
                "port=" + port));
    for (String setting : SETTINGS) {
      command.add("-c");
      command.add(setting);
    }
    return command;
  }

  /** Something else listens on the port. */
  static final class PortTaken extends Exception {
    private static final long serialVersionUID = 1L;

    PortTaken(int port) {
      super("port " + port + " of the embedded database is taken by another process");
    }

    StartupException failure() {
      return new StartupException(String.valueOf(getMessage()), this);
    }
  }
}
