package dev.sandboxer.platform.dataplane;

import dev.sandboxer.platform.dataplane.wire.WireException;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.impl.VertxInternal;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Lets threads that may block, such as virtual ones, wait for exchanges on an event loop. */
final class BlockingCalls {

  private final Context loop;

  /** Takes an event loop of its own. */
  BlockingCalls(Vertx vertx) {
    this.loop = ((VertxInternal) vertx).createEventLoopContext();
  }

  /**
   * Waits for a reply. The exchange is aborted where it is not waited for to its end.
   *
   * @param collector of the reply
   * @param limit how long to wait
   * @param begin begins the exchange with that collector; runs on the event loop
   * @return what was collected
   * @throws WireException if there is none in time, or it is not what it must be
   * @throws InterruptedException if the thread is interrupted
   */
  <T> T await(Collector<T> collector, Duration limit, Runnable begin)
      throws WireException, InterruptedException {
    loop.runOnContext(on -> begin.run());
    try {
      return collector.result().get(limit.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      WireException late = new WireException("no answer in time");
      giveUp(collector, late);
      throw late;
    } catch (ExecutionException e) {
      throw e.getCause() instanceof WireException wire
          ? wire
          : new WireException("the call failed: " + e.getCause());
    } catch (InterruptedException e) {
      giveUp(collector, new WireException("cancelled"));
      throw e;
    }
  }

  /** Ends an exchange from any thread. */
  void giveUp(Collector<?> collector, WireException cause) {
    loop.runOnContext(on -> collector.giveUp(cause));
  }
}
