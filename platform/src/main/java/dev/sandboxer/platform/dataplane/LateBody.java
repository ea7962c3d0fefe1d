package dev.sandboxer.platform.dataplane;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;

/**
 * The rest of a body that nobody wants, after the reply. It is read for a while, so that the client
 * gets to see the reply, and the connection is closed then.
 */
final class LateBody {

  private static final long MAX_BYTES = 64L * 1024 * 1024;
  private static final long MAX_MILLIS = 5_000;

  private final HttpServerRequest request;
  private final Vertx vertx;
  private final long timer;
  private long bytes;

  private LateBody(HttpServerRequest request, Vertx vertx) {
    this.request = request;
    this.vertx = vertx;
    this.timer = vertx.setTimer(MAX_MILLIS, fired -> request.connection().close());
  }

  static void discard(HttpServerRequest request, Vertx vertx) {
    if (request.isEnded()) {
      request.connection().close();
      return;
    }
    LateBody body = new LateBody(request, vertx);
    request.exceptionHandler(failure -> body.over());
    request.endHandler(ended -> body.over());
    request.handler(part -> body.count(part.length()));
    request.resume();
  }

  private void count(int length) {
    bytes += length;
    if (bytes > MAX_BYTES) {
      over();
    }
  }

  private void over() {
    vertx.cancelTimer(timer);
    request.connection().close();
  }
}
