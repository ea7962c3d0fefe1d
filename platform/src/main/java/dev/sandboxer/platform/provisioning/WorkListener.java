package dev.sandboxer.platform.provisioning;

import dev.sandboxer.platform.host.Hosts;
import dev.sandboxer.platform.id.SandboxId;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jboss.logging.Logger;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * Listens for work that other nodes leave to this one, and starts it at once. Keeps one connection.
 * While it has none, or where a pooler does not forward notifications, polling finds the work.
 */
@ApplicationScoped
public class WorkListener {

  private static final Logger LOG = Logger.getLogger(WorkListener.class);
  private static final int WAIT_MILLIS = 30_000;
  private static final Duration RETRY = Duration.ofSeconds(2);

  private final Jdbi jdbi;
  private final Hosts hosts;
  private final WorkLoop loop;
  private final Cleaning cleaning;
  private final ReachableSandboxes reachable;
  private final ExecutorService thread = Executors.newVirtualThreadPerTaskExecutor();

  WorkListener(
      Jdbi jdbi, Hosts hosts, WorkLoop loop, Cleaning cleaning, ReachableSandboxes reachable) {
    this.reachable = reachable;
    this.jdbi = jdbi;
    this.hosts = hosts;
    this.loop = loop;
    this.cleaning = cleaning;
  }

  /** Begins to listen. */
  public void start() {
    thread.execute(this::run);
  }

  private void run() {
    while (!thread.isShutdown()) {
      try (Handle open = jdbi.open()) {
        open.execute("listen " + WorkSignal.CHANNEL);
        open.execute("listen " + WorkSignal.SUSPENDED);
        reachable.forgetAll();
        listen(open.getConnection().unwrap(PGConnection.class));
      } catch (SQLException | RuntimeException e) {
        pause(e);
      }
    }
  }

  /** Polling finds what was sent while no connection listened. */
  private void listen(PGConnection connection) throws SQLException {
    while (!thread.isShutdown()) {
      PGNotification[] received = connection.getNotifications(WAIT_MILLIS);
      if (received != null) {
        heard(received);
      }
    }
  }

  private void heard(PGNotification[] received) {
    for (PGNotification signal : received) {
      if (signal.getName().equals(WorkSignal.SUSPENDED)) {
        reachable.forget(new SandboxId(signal.getParameter()));
      }
    }
    if (Arrays.stream(received).anyMatch(this::isMine)) {
      loop.takeDue();
      cleaning.due();
    }
  }

  private boolean isMine(PGNotification signal) {
    return signal.getParameter().equals(hosts.node().id());
  }

  private void pause(Exception reason) {
    if (thread.isShutdown()) {
      return;
    }
    LOG.infof("work of other nodes is found by polling reason=%s", reason.getMessage());
    try {
      Thread.sleep(RETRY);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Stops without waiting. */
  public void stop() {
    thread.shutdownNow();
  }
}
