package dev.sandboxer.platform.api.langbot;

import dev.sandboxer.platform.dataplane.ClientLine;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.ServerWebSocket;

/** Pings a client each 30 s, and ends the connection of one that does not answer. */
final class KeepAlive {

  private static final long EVERY_MILLIS = 30_000;

  private final ServerWebSocket socket;
  private final ClientLine line;
  private boolean answered = true;

  private KeepAlive(ServerWebSocket socket, ClientLine line) {
    this.line = line;
    this.socket = socket;
  }

  /**
   * Begins; ends with the connection. Runs on the connection's event loop.
   *
   * @param line that carries the WebSocket
   * @param also runs with each ping
   */
  static void of(Vertx vertx, ServerWebSocket socket, ClientLine line, Runnable also) {
    KeepAlive alive = new KeepAlive(socket, line);
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
      line.drop();
    } else if (!socket.isClosed()) {
      answered = false;
      var _ = socket.writePing(Buffer.buffer("sandboxer"));
    }
  }
}
