package dev.sandboxer.cli.dataplane;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.cli.Failure;
import dev.sandboxer.cli.client.Api;
import dev.sandboxer.cli.client.HttpClients;
import dev.sandboxer.cli.websocket.WebSocket;
import dev.sandboxer.cli.websocket.WebSockets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Reads what a managed process has written, each byte once, over as many connections as it takes.
 */
public final class ProcessLog {
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final long FIRST_PAUSE_MILLIS = 100;
  private static final long LONGEST_PAUSE_MILLIS = 2000;

  private final Sockets sockets;
  private final DataplaneCalls calls;
  private final ObjectMapper json;
  private final Dataplane dataplane;
  private final String process;
  private final LogNews news;
  private final LogPosition position = new LogPosition();

  /** A log of which nothing was read yet. */
  public ProcessLog(
      HttpClients http,
      WebSockets webSockets,
      ObjectMapper json,
      Dataplane dataplane,
      String process,
      LogNews news) {
    this.sockets = new Sockets(webSockets, json);
    this.calls = new DataplaneCalls(http, json, dataplane);
    this.json = json;
    this.dataplane = dataplane;
    this.process = process;
    this.news = news;
  }

  /**
   * What is there now.
   *
   * @throws Failure when there is no such process or the connection broke
   */
  public void read(CommandOutput output) throws InterruptedException {
    LogPosition until = new LogPosition(record());
    if (!position.reached(until)) {
      attach(output, until);
    }
  }

  /**
   * What is there and what comes, until the process has ended. A connection that breaks is made
   * again for two minutes.
   *
   * @throws Failure when there is no such process, or none that can be reached
   */
  public void follow(CommandOutput output) throws InterruptedException {
    record();
    long givenUp = System.nanoTime() + PATIENCE.toNanos();
    long pause = FIRST_PAUSE_MILLIS;
    boolean told = false;
    while (true) {
      String before = position.query();
      Failure failure = tryToFollow(output);
      if (failure == null) {
        return;
      }
      boolean moved = !position.query().equals(before);
      if (moved) {
        givenUp = System.nanoTime() + PATIENCE.toNanos();
        pause = FIRST_PAUSE_MILLIS;
        told = false;
      }
      if (System.nanoTime() > givenUp) {
        throw failure;
      }
      if (!told) {
        news.lost(failure.text());
        told = true;
      }
      Thread.sleep(pause);
      pause = Math.min(LONGEST_PAUSE_MILLIS, pause * 2);
      dataplane.forget(); // a new node, a new address, a revoked token: all are told by a new grant
    }
  }

  /** Answers why it should be tried again, or null when the process has ended. */
  private @Nullable Failure tryToFollow(CommandOutput output) throws InterruptedException {
    try {
      attach(output, null);
      return null;
    } catch (ConnectionLost | Api.Unreachable e) {
      return e;
    } catch (CallRefused e) {
      if (e.passing()) {
        return e;
      }
      throw e;
    }
  }

  private JsonNode record() throws InterruptedException {
    return calls.get("/processes/" + process);
  }

  private void attach(CommandOutput output, @Nullable LogPosition until)
      throws InterruptedException {
    LogSocket listener = new LogSocket(json, position, until, output, news);
    WebSocket socket =
        sockets.open(
            dataplane.access(),
            "/processes/" + process + "/attach?" + position.query(),
            listener,
            CommandSocket.PROTOCOL);
    try {
      Sockets.await(socket, listener.end());
    } finally {
      socket.abort();
    }
  }
}
