package dev.sandboxer.platform.api.langbot;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.ServerWebSocket;

/** Pings a client each 30 s, and ends the connection of one that does not answer. */
final class KeepAlive {

  private static final long EVERY_MILLIS = 30_000;
  private static final int GOING_AWAY = 1001;

  private final ServerWebSocket socket;
  private boolean answered = true;

  private KeepAlive(ServerWebSocket socket) {
    this.socket = socket;
  }

  /** Begins; ends with the connection. Runs on the connection's event loop. */
  static void of(Vertx vertx, ServerWebSocket socket) {
    of(vertx, socket, () -> {});
  }

  /**
   * As above.
   *
   * @param also runs with each ping
   */
  static void of(Vertx vertx, ServerWebSocket socket, Runnable also) {
    KeepAlive alive = new KeepAlive(socket);
    socket.pongHandler(pong -> alive.answered = true);
    long timer =
        vertx.setPeriodic(
            EVERY_MILLIS,
            fired -> {
              alive.ping();
              also.run();
            });
    socket.endHandler(ended -> vertx.cancelTimer(timer));
  }

  private void ping() {
    if (!answered) {
      var _ = socket.close((short) GOING_AWAY, "no answer to pings");
    } else if (!socket.isClosed()) {
      answered = false;
      var _ = socket.writePing(Buffer.buffer("sandboxer"));
    }
  }
}
