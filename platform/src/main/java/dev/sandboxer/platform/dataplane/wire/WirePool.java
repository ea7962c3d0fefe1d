package dev.sandboxer.platform.dataplane.wire;

import dev.sandboxer.spi.ByteStreamOpener;
import io.vertx.core.Context;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/** The connections of one event loop. */
final class WirePool {

  private static final int MAX_IDLE = 8;
  private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(30);
  private static final long SWEEP_MILLIS = 10_000;

  private final Vertx vertx;
  private final Context context;
  private final Connector connector;
  private final Map<Endpoint, Deque<WireConnection>> idle = new HashMap<>();

  WirePool(Vertx vertx, Context context, Connector connector) {
    this.vertx = vertx;
    this.context = context;
    this.connector = connector;
    context.runOnContext(on -> vertx.setPeriodic(SWEEP_MILLIS, fired -> sweep()));
  }

  Vertx vertx() {
    return vertx;
  }

  /** Gives an idle connection at once, else a new one later. */
  void acquire(Endpoint endpoint, Handler<WireConnection> opened, Handler<WireException> failed) {
    Deque<WireConnection> waiting = idle.get(endpoint);
    WireConnection connection = waiting == null ? null : waiting.pollLast();
    if (connection != null) {
      opened.handle(connection);
    } else {
      context.runOnContext(on -> connect(endpoint, opened, failed));
    }
  }

  private void connect(
      Endpoint endpoint, Handler<WireConnection> opened, Handler<WireException> failed) {
    connector.connect(
        endpoint,
        context,
        stream -> opened.handle(new WireConnection(stream, endpoint, this)),
        failed);
  }

  void release(WireConnection connection) {
    Deque<WireConnection> waiting =
        idle.computeIfAbsent(connection.endpoint(), key -> new ArrayDeque<>());
    if (waiting.size() >= MAX_IDLE || connector.awaited(connection.endpoint())) {
      connection.close();
      return;
    }
    connection.idle(System.nanoTime());
    waiting.addLast(connection);
  }

  void gone(WireConnection connection) {
    Deque<WireConnection> waiting = idle.get(connection.endpoint());
    if (waiting != null) {
      waiting.remove(connection);
      if (waiting.isEmpty()) {
        idle.remove(connection.endpoint());
      }
    }
  }

  /** Closes one idle stream of an opener, for whose slot somebody waits. From any thread. */
  void closeIdle(ByteStreamOpener opener) {
    context.runOnContext(
        on ->
            idle.entrySet().stream()
                .filter(waiting -> Connector.opens(opener, waiting.getKey()))
                .map(waiting -> waiting.getValue().peekFirst())
                .filter(Objects::nonNull)
                .findFirst()
                .ifPresent(WireConnection::close));
  }

  private void sweep() {
    long now = System.nanoTime();
    List<WireConnection> stale =
        idle.values().stream()
            .flatMap(Deque::stream)
            .filter(connection -> connection.idleLongerThan(IDLE_NANOS, now))
            .toList();
    stale.forEach(WireConnection::close);
  }
}
