package dev.sandboxer.platform.database;

import dev.sandboxer.platform.installation.Home;
import dev.sandboxer.platform.installation.StartupException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * A PostgreSQL server of our own, in the home. One thread starts it, watches it and starts it again
 * when it dies, at the same address. It ends with this process, however that ends.
 */
public final class EmbeddedPostgres implements AutoCloseable {

  private static final Logger LOG = Logger.getLogger(EmbeddedPostgres.class);
  private static final Duration STOP_PATIENCE = Duration.ofSeconds(20);
  private static final int STARTS = 5;

  private final Cluster cluster;
  private final Server server;
  private final Thread keeper;
  private final CompletableFuture<Void> firstStart = new CompletableFuture<>();
  private volatile int port;
  private volatile boolean stopping;
  private volatile @Nullable Process process;

  private EmbeddedPostgres(Cluster cluster, Server server, int port) {
    this.cluster = cluster;
    this.server = server;
    this.port = port;
    this.keeper = Thread.ofPlatform().name("postgres-keeper").daemon().unstarted(this::keep);
  }

  /**
   * Starts the server of a home, made first if it is not there; returns when it takes connections.
   *
   * @param home where its data is
   * @param cache where its programs are unpacked
   * @return the running server
   * @throws StartupException saying what is wrong: a full disk, another server on the same data
   */
  public static EmbeddedPostgres start(Home home, Path cache) {
    try {
      PostgresLauncher launcher = PostgresLauncher.forThisUser();
      PostgresBinaries binaries = PostgresBinaries.in(launcher.cache(cache));
      Cluster cluster = new Cluster(home, binaries, launcher);
      cluster.prepare();
      Server server = new Server(cluster, binaries, launcher);
      EmbeddedPostgres postgres = new EmbeddedPostgres(cluster, server, freePort());
      postgres.keeper.start();
      postgres.firstStart.join();
      return postgres;
    } catch (CompletionException e) {
      throw e.getCause() instanceof StartupException s ? s : failed(e);
    } catch (IOException e) {
      throw failed(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw failed(e);
    }
  }

  private static StartupException failed(Exception e) {
    return new StartupException("the embedded database cannot be started: " + e.getMessage(), e);
  }

  /**
   * Where to connect. Stays the same when the server is started again.
   *
   * @return its address
   */
  public DatabaseAddress address() {
    return new DatabaseAddress(
        "jdbc:postgresql://127.0.0.1:%d/postgres?sslmode=disable&gssEncMode=disable"
            .formatted(port),
        Cluster.USER,
        cluster.passwordFile());
  }

  /**
   * The server's process.
   *
   * @return its id, 0 while there is none
   */
  public long pid() {
    @Nullable Process current = process;
    return current == null ? 0 : current.pid();
  }

  /** Ends the server cleanly and waits for that. Repeatable. */
  @Override
  public void close() {
    stopping = true;
    keeper.interrupt();
    try {
      keeper.join(STOP_PATIENCE.plusSeconds(5));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void keep() {
    try {
      startFirst();
      firstStart.complete(null);
      while (!stopping) {
        watch();
      }
    } catch (InterruptedException e) {
      LOG.debug("asked to stop");
    } catch (IOException | RuntimeException e) {
      if (!firstStart.completeExceptionally(e)) {
        LOG.error("the embedded database is no longer watched", e);
      }
    } finally {
      stop();
    }
  }

  private void startFirst() throws IOException, InterruptedException {
    for (int left = STARTS; ; left--) {
      try {
        process = server.start(port);
        return;
      } catch (Server.PortTaken e) {
        if (left == 1) {
          throw e.failure();
        }
        port = freePort();
      }
    }
  }

  private void watch() throws InterruptedException {
    @Nullable Process current = process;
    int code = current == null ? -1 : current.waitFor();
    process = null;
    LOG.errorf("the embedded database ended by itself with %d and is started again", code);
    while (process == null) {
      try {
        process = server.start(port);
        LOG.infof("the embedded database runs again with process id %d", pid());
      } catch (IOException | StartupException | Server.PortTaken e) {
        LOG.error("the embedded database cannot be started again yet", e);
        TimeUnit.SECONDS.sleep(1);
      }
    }
  }

  private void stop() {
    @Nullable Process current = process;
    if (current == null) {
      return;
    }
    try {
      // SIGTERM would wait for every client.
      new ProcessBuilder("sh", "-c", "kill -INT " + current.pid()).start().waitFor();
      if (!current.waitFor(STOP_PATIENCE)) {
        LOG.error("the embedded database does not stop and is killed; it recovers at next start");
        current.destroyForcibly();
      }
    } catch (IOException | InterruptedException e) {
      current.destroyForcibly();
    }
    process = null;
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.ofLiteral("127.0.0.1"))) {
      return socket.getLocalPort();
    }
  }
}
