package dev.sandboxer.platform.dataplane;

import dev.sandboxer.platform.dataplane.wire.Exchange;
import dev.sandboxer.platform.dataplane.wire.ReplyHandler;
import dev.sandboxer.platform.dataplane.wire.WireException;
import io.vertx.core.buffer.Buffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Makes a value of one reply, for {@link BlockingCalls}. Lives on an event loop; the future may be
 * waited for anywhere.
 */
abstract class Collector<T> implements ReplyHandler {

  private final CompletableFuture<T> result = new CompletableFuture<>();
  private final LongAdder received = new LongAdder();
  private @Nullable Exchange exchange;

  /** Completed with the value, or a {@link WireException}. */
  final CompletableFuture<T> result() {
    return result;
  }

  /** Bytes of the reply's body until now. Called on any thread. */
  final long received() {
    return received.sum();
  }

  /** Sends the request, unless nobody waits for its reply any more. */
  final void begin(Exchange opened, @Nullable Buffer request) {
    if (result.isDone()) {
      opened.abort();
      return;
    }
    exchange = opened;
    if (request != null) {
      opened.write(request);
    }
    opened.endRequest();
  }

  /** Ends the exchange at once, which ends the command that it was about. */
  final void giveUp(WireException cause) {
    if (exchange != null) {
      exchange.abort();
    }
    result.completeExceptionally(cause);
  }

  /** A further part of the reply, which has not been given up. */
  abstract void part(Buffer part) throws WireException;

  /** The value, now that the reply is whole. */
  abstract T whole() throws WireException;

  @Override
  public final void body(Buffer part, boolean last) {
    if (result.isDone()) {
      return;
    }
    received.add(part.length());
    try {
      part(part);
    } catch (WireException e) {
      giveUp(e);
    }
  }

  @Override
  public final void end() {
    if (result.isDone()) {
      return;
    }
    try {
      result.complete(whole());
    } catch (WireException e) {
      giveUp(e);
    }
  }

  @Override
  public final void failed(WireException cause) {
    giveUp(cause);
  }
}
