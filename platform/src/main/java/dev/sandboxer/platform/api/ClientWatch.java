package dev.sandboxer.platform.api;

import io.vertx.core.AsyncResult;
import io.vertx.ext.web.RoutingContext;

/**
 * Interrupts the thread that made it when the request's client goes away, and never after it is
 * closed.
 */
public final class ClientWatch implements AutoCloseable {

  private final Thread worker = Thread.currentThread();
  private boolean over;
  private boolean gone;

  /**
   * Begins to watch.
   *
   * @param request that the present thread answers
   */
  public ClientWatch(RoutingContext request) {
    request.addEndHandler(this::ended);
  }

  /** The request fails when its connection is closed before the answer was sent. */
  private synchronized void ended(AsyncResult<Void> end) {
    if (end.failed() && !over) {
      gone = true;
      worker.interrupt();
    }
  }

  /**
   * Whether the client has gone while it was watched.
   *
   * @return true if that is why the thread was interrupted
   */
  public synchronized boolean gone() {
    return gone;
  }

  @Override
  public synchronized void close() {
    over = true;
    if (gone) {
      var _ = Thread.interrupted();
    }
  }
}
