package dev.sandboxer.platform.dataplane;

import dev.sandboxer.platform.dataplane.wire.Exchange;
import dev.sandboxer.platform.dataplane.wire.ReplyHandler;
import dev.sandboxer.platform.dataplane.wire.ReplyHead;
import dev.sandboxer.platform.dataplane.wire.WireException;
import io.vertx.core.buffer.Buffer;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Collects one small reply. Runs on an event loop; the future may be waited for anywhere. */
final class ReplyCollector implements ReplyHandler {

  private static final int MAX_BODY_BYTES = 64 * 1024;

  private final CompletableFuture<Reply> result = new CompletableFuture<>();
  private final Buffer body = Buffer.buffer();
  private @Nullable Exchange exchange;
  private int status;

  CompletableFuture<Reply> result() {
    return result;
  }

  void begin(Exchange opened, @Nullable Buffer request) {
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

  void giveUp(WireException cause) {
    if (exchange != null) {
      exchange.abort();
    }
    result.completeExceptionally(cause);
  }

  @Override
  public void head(ReplyHead head, boolean hasBody) {
    status = head.status();
  }

  @Override
  public void body(Buffer part, boolean last) {
    if (body.length() + part.length() > MAX_BODY_BYTES) {
      giveUp(new WireException("a reply larger than " + MAX_BODY_BYTES + " bytes"));
    } else {
      body.appendBuffer(part);
    }
  }

  @Override
  public void end() {
    result.complete(new Reply(status, body));
  }

  @Override
  public void failed(WireException cause) {
    giveUp(cause);
  }

  record Reply(int status, Buffer body) {}
}
