package dev.sandboxer.dataplane.process;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.dataplane.CallRefused;
import dev.sandboxer.dataplane.ConnectionLost;
import dev.sandboxer.dataplane.Dataplane;
import dev.sandboxer.dataplane.DataplaneCalls;
import dev.sandboxer.dataplane.DataplaneException;
import dev.sandboxer.dataplane.OutputClosed;
import dev.sandboxer.dataplane.exec.CommandOutput;
import dev.sandboxer.dataplane.frame.Sockets;
import dev.sandboxer.dataplane.websocket.WebSocket;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Reads what a managed process has written, each byte once, over as many connections as it takes.
 * For one thread.
 */
public final class ProcessLog {
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final long FIRST_PAUSE_MILLIS = 100;
  private static final long LONGEST_PAUSE_MILLIS = 2000;

  private final Sockets sockets;
  private final DataplaneCalls calls;
  private final Dataplane dataplane;
  private final String route;
  private final LogListener listener;
  private final LogPosition position = new LogPosition();

  /**
   * A log of which nothing was read yet.
   *
   * @param process the process's id
   * @param listener called on the threads that read
   * @throws IllegalArgumentException when that is not an id
   */
  public ProcessLog(Dataplane dataplane, String process, LogListener listener) {
    this.sockets = new Sockets(dataplane);
    this.calls = new DataplaneCalls(dataplane);
    this.dataplane = dataplane;
    this.route = Processes.route(process);
    this.listener = listener;
  }

  /**
   * Leaves out what was written before; to be called before anything is read.
   *
   * @param time until now, whole seconds
   * @return this
   */
  public ProcessLog since(Duration time) {
    position.since(time);
    return this;
  }

  /**
   * Reads what is there now; the next call goes on where this one ended.
   *
   * @throws CallRefused when there is no such process
   * @throws ConnectionLost when the connection broke
   * @throws OutputClosed when {@code output} threw
   */
  public void read(CommandOutput output) throws InterruptedException {
    LogPosition until = new LogPosition(record());
    if (!position.reached(until)) {
      attach(output, until);
    }
  }

  /**
   * Reads what is there and what comes, until the process has ended. A connection that breaks is
   * made again for two minutes after its last byte, each time with a new grant.
   *
   * @throws CallRefused when there is no such process
   * @throws ConnectionLost when the sandbox cannot be reached any more
   * @throws OutputClosed when {@code output} threw
   */
  public void follow(CommandOutput output) throws InterruptedException {
    record();
    long givenUp = System.nanoTime() + PATIENCE.toNanos();
    long pause = FIRST_PAUSE_MILLIS;
    boolean reported = false;
    while (true) {
      String before = position.query();
      DataplaneException failure = tryToFollow(output);
      if (failure == null) {
        return;
      }
      boolean moved = !position.query().equals(before);
      if (moved) {
        givenUp = System.nanoTime() + PATIENCE.toNanos();
        pause = FIRST_PAUSE_MILLIS;
        reported = false;
      }
      if (System.nanoTime() > givenUp) {
        throw failure;
      }
      if (!reported) {
        listener.lost(failure.text());
        reported = true;
      }
      Thread.sleep(pause);
      pause = Math.min(LONGEST_PAUSE_MILLIS, pause * 2);
      dataplane
          .forget(); // a new node, a new address, a revoked token: a new grant knows all of them
    }
  }

  /** Returns why it should be tried again, or null when the process has ended. */
  private @Nullable DataplaneException tryToFollow(CommandOutput output)
      throws InterruptedException {
    try {
      attach(output, null);
      return null;
    } catch (ConnectionLost e) {
      return e;
    } catch (CallRefused e) {
      if (e.passing()) {
        return e;
      }
      throw e;
    }
  }

  private JsonNode record() throws InterruptedException {
    return calls.get(route);
  }

  private void attach(CommandOutput output, @Nullable LogPosition until)
      throws InterruptedException {
    LogSocket log = new LogSocket(sockets.json(), position, until, output, listener);
    WebSocket socket = sockets.open(route + "/attach?" + position.query(), log, Sockets.BINARY);
    try {
      Sockets.await(socket, log.end());
    } finally {
      socket.abort();
    }
  }
}
