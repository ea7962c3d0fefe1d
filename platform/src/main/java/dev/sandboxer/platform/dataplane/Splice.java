package dev.sandboxer.platform.dataplane;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetSocket;
import java.util.function.IntConsumer;

/** Two sockets, each fed with what the other says, no faster than it takes it. */
final class Splice {

  private final NetSocket client;
  private final NetSocket boxd;
  private final Runnable closed;
  private boolean over;

  /**
   * Joins, and lets the data flow.
   *
   * @param client the upgraded connection
   * @param boxd paused
   * @param first bytes that boxd has said already
   * @param metrics counts both ways
   * @param closed runs once, when either has gone
   */
  Splice(NetSocket client, NetSocket boxd, Buffer first, RelayMetrics metrics, Runnable closed) {
    this.client = client;
    this.boxd = boxd;
    this.closed = closed;
    if (first.length() > 0) {
      metrics.down(first.length());
      client.write(first);
    }
    join(client, boxd, metrics::up);
    join(boxd, client, metrics::down);
    boxd.resume();
  }

  void cut() {
    if (!over) {
      over = true;
      client.close();
      boxd.close();
      closed.run();
    }
  }

  private void join(NetSocket from, NetSocket to, IntConsumer count) {
    from.handler(
        data -> {
          count.accept(data.length());
          to.write(data);
          if (to.writeQueueFull()) {
            from.pause();
            to.drainHandler(drained -> from.resume());
          }
        });
    from.exceptionHandler(failure -> cut());
    // After all data, also where that waits for the other side; the close handler comes before.
    from.endHandler(ended -> cut());
  }
}
