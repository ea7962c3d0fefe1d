package dev.sandboxer.platform.dataplane.wire;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetSocket;
import org.jspecify.annotations.Nullable;

/** One connection to one boxd; carries one exchange at a time. */
final class WireConnection {

  private final NetSocket socket;
  private final Endpoint endpoint;
  private final WirePool pool;
  private @Nullable Exchange exchange;
  private boolean detached;
  private boolean closed;
  private long idleSinceNanos;

  WireConnection(NetSocket socket, Endpoint endpoint, WirePool pool) {
    this.socket = socket;
    this.endpoint = endpoint;
    this.pool = pool;
    socket.handler(this::received);
    socket.exceptionHandler(failure -> close());
    // The end comes after all data, also where that waits for a slow reader; the close would not.
    socket.endHandler(ended -> closed());
  }

  Endpoint endpoint() {
    return endpoint;
  }

  NetSocket socket() {
    return socket;
  }

  WirePool pool() {
    return pool;
  }

  void begin(Exchange next) {
    exchange = next;
  }

  void idle(long nowNanos) {
    exchange = null;
    idleSinceNanos = nowNanos;
    socket.resume();
  }

  boolean idleLongerThan(long nanos, long nowNanos) {
    return nowNanos - idleSinceNanos > nanos;
  }

  /** Hands the socket over, paused; nothing here looks at it any more. */
  NetSocket detach() {
    detached = true;
    exchange = null;
    socket.pause();
    pool.gone(this);
    return socket;
  }

  void close() {
    if (!closed) {
      closed = true;
      pool.gone(this);
      socket.close();
    }
  }

  private void received(Buffer data) {
    Exchange now = exchange;
    if (now == null) {
      // Nobody asked: an extra reply, or a peer that lost count.
      close();
    } else {
      now.received(data);
    }
  }

  private void closed() {
    if (detached) {
      return;
    }
    closed = true;
    pool.gone(this);
    Exchange now = exchange;
    exchange = null;
    if (now != null) {
      now.connectionClosed();
    }
  }
}
