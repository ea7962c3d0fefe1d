package dev.sandboxer.platform.dataplane.wire;

import io.vertx.core.buffer.Buffer;
import org.jspecify.annotations.Nullable;

/** One connection to one boxd; carries one exchange at a time. */
final class WireConnection {

  private final WireStream stream;
  private final Endpoint endpoint;
  private final WirePool pool;
  private @Nullable Exchange exchange;
  private boolean detached;
  private boolean closed;
  private long idleSinceNanos;

  WireConnection(WireStream stream, Endpoint endpoint, WirePool pool) {
    this.stream = stream;
    this.endpoint = endpoint;
    this.pool = pool;
    stream.handler(this::received);
    stream.exceptionHandler(failure -> close());
    stream.endHandler(ended -> closed());
  }

  Endpoint endpoint() {
    return endpoint;
  }

  WireStream stream() {
    return stream;
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
    stream.resume();
  }

  boolean idleLongerThan(long nanos, long nowNanos) {
    return nowNanos - idleSinceNanos > nanos;
  }

  /** Hands the stream over, paused; nothing here looks at it any more. */
  WireStream detach() {
    detached = true;
    exchange = null;
    stream.pause();
    pool.gone(this);
    return stream;
  }

  void close() {
    if (!closed) {
      closed = true;
      pool.gone(this);
      stream.cut();
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
