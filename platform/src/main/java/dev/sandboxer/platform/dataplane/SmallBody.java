package dev.sandboxer.platform.dataplane;

import dev.sandboxer.platform.connection.ClientConnection;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.Problem;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;

/** Reads a body that must be small and come soon. */
final class SmallBody {

  private static final int MAX_BYTES = 4096;
  private static final long MAX_MILLIS = 10_000;

  private final Vertx vertx;
  private final HttpServerRequest request;
  private final Handler<Buffer> read;
  private final Handler<Problem> failed;
  private final Buffer body = Buffer.buffer();
  private final long timer;
  private boolean over;

  private SmallBody(
      Vertx vertx, HttpServerRequest request, Handler<Buffer> read, Handler<Problem> failed) {
    this.vertx = vertx;
    this.request = request;
    this.read = read;
    this.failed = failed;
    this.timer =
        vertx.setTimer(
            MAX_MILLIS,
            fired -> fail(Problem.of(ErrorCode.REQUEST_TIMEOUT, "the body did not come in 10 s")));
  }

  static void read(
      Vertx vertx, HttpServerRequest request, Handler<Buffer> read, Handler<Problem> failed) {
    SmallBody small = new SmallBody(vertx, request, read, failed);
    request.exceptionHandler(failure -> small.stop());
    request.endHandler(ended -> small.end());
    request.handler(small::part);
    ClientConnection.of(request.connection()).bodyFlows();
    request.resume();
  }

  private void part(Buffer part) {
    body.appendBuffer(part);
    if (body.length() > MAX_BYTES) {
      fail(Problem.of(ErrorCode.TOO_LARGE, "the body is over " + MAX_BYTES + " bytes"));
    }
  }

  private void end() {
    if (stop()) {
      read.handle(body);
    }
  }

  private void fail(Problem problem) {
    if (stop()) {
      request.pause();
      failed.handle(problem);
    }
  }

  private boolean stop() {
    boolean first = !over;
    over = true;
    vertx.cancelTimer(timer);
    return first;
  }
}
