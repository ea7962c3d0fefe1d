package dev.sandboxer.platform.dataplane;

import dev.sandboxer.platform.connection.ClientConnection;
import io.netty.channel.Channel;
import io.netty.handler.timeout.IdleStateHandler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.impl.ConnectionBase;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The connection to a client, below HTTP: its idle limit is for the time between requests, and is
 * taken off while a stream is looked after in other ways. Used on its event loop.
 */
public final class ClientLine {

  private static final String IDLE = "idle";
  private static final long LINGER_MILLIS = 500;
  private static final String LAST = "handler";

  private final Channel channel;
  private final ClientConnection bounds;
  private @Nullable IdleStateHandler taken;

  /**
   * The connection of a request.
   *
   * @param connection of the listener
   */
  public ClientLine(HttpConnection connection) {
    this.channel = ((ConnectionBase) connection).channelHandlerContext().channel();
    this.bounds = ClientConnection.of(connection);
  }

  /** From now on silence is no reason to close. Repeatable. */
  void keep() {
    if (taken == null && channel.pipeline().get(IDLE) instanceof IdleStateHandler idle) {
      channel.pipeline().remove(idle);
      taken = idle;
    }
  }

  /** It carries a WebSocket from now on. Repeatable. */
  public void takenOver() {
    keep();
    bounds.takenOver();
  }

  /** The idle limit holds again. Repeatable. */
  void release() {
    IdleStateHandler before = taken;
    taken = null;
    if (before != null && channel.isOpen() && channel.pipeline().get(LAST) != null) {
      channel.pipeline().addBefore(LAST, IDLE, copy(before));
    }
  }

  /**
   * Leaves a client a moment to read the last words, then closes. Reading on until then matters:
   * what is left unread would make the kernel throw our words away.
   */
  void linger(Vertx vertx, NetSocket client) {
    client.handler(data -> {});
    client.endHandler(ended -> drop());
    client.exceptionHandler(failure -> drop());
    client.resume();
    vertx.setTimer(LINGER_MILLIS, fired -> drop());
  }

  /** Closes at once, whatever waits to be written. */
  public void drop() {
    var _ = channel.close();
  }

  private static IdleStateHandler copy(IdleStateHandler idle) {
    return new IdleStateHandler(
        idle.getReaderIdleTimeInMillis(),
        idle.getWriterIdleTimeInMillis(),
        idle.getAllIdleTimeInMillis(),
        TimeUnit.MILLISECONDS);
  }
}
