package dev.sandboxer.platform.dataplane;

import dev.sandboxer.platform.connection.ClientConnection;
import dev.sandboxer.platform.dataplane.wire.Exchange;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import java.time.Duration;

/**
 * A request's body on its way to boxd, no faster than boxd takes it. Lives on the event loop of the
 * client's connection.
 */
final class RequestFlow {

  private final HttpServerRequest request;
  private final ClientConnection connection;
  private final Traffic traffic;
  private long partNanos;
  private boolean flows;
  private boolean ended;

  RequestFlow(HttpServerRequest request, Traffic traffic) {
    this.request = request;
    this.connection = ClientConnection.of(request.connection());
    this.traffic = traffic;
  }

  /** Lets it flow. */
  void begin(Exchange to) {
    request.endHandler(fired -> end(to));
    request.handler(part -> pass(to, part));
    goOn();
  }

  /** Nothing more of it is to come. */
  void end(Exchange to) {
    ended = true;
    connection.bodyRead();
    to.endRequest();
  }

  boolean ended() {
    return ended;
  }

  /** Whether boxd waits for it and nothing has come for that long. */
  boolean stands(Duration patience) {
    return flows && !ended && System.nanoTime() - partNanos > patience.toNanos();
  }

  private void pass(Exchange to, Buffer part) {
    traffic.up(part.length());
    partNanos = System.nanoTime();
    to.write(part);
    if (to.writeQueueFull()) {
      flows = false;
      request.pause();
      connection.bodyWaits();
      to.drained(drained -> goOn());
    }
  }

  private void goOn() {
    partNanos = System.nanoTime();
    flows = true;
    connection.bodyFlows();
    request.resume();
  }
}
