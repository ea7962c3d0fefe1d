package dev.sandboxer.platform.dataplane;

import dev.sandboxer.platform.dataplane.wire.Endpoint;
import dev.sandboxer.platform.dataplane.wire.Exchange;
import dev.sandboxer.platform.dataplane.wire.ReplyHandler;
import dev.sandboxer.platform.dataplane.wire.ReplyHead;
import dev.sandboxer.platform.dataplane.wire.RequestHead;
import dev.sandboxer.platform.dataplane.wire.WireClient;
import dev.sandboxer.platform.dataplane.wire.WireException;
import io.vertx.core.Context;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One exchange whose bodies a blocking thread writes and reads, part by part. The event loop tells
 * the thread what happens by a queue; while {@value #MOST_WAITING} parts wait in it, no further one
 * is asked for.
 */
final class FolderExchange implements ReplyHandler {

  /** Longer than boxd waits for a part of an upload. */
  private static final long STALL_SECONDS = 90;

  private static final int PART = 128 * 1024;
  private static final int MOST_WAITING = 8;
  private static final int MAX_PROBLEM = 64 * 1024;

  private final Context loop;
  private final BlockingQueue<Signal> signals = new LinkedBlockingQueue<>();
  private @Nullable Exchange exchange; // of the event loop
  private boolean closed; // of the event loop
  private int waiting; // parts, of the event loop
  private int status; // of the thread

  /** What the event loop says. */
  private sealed interface Signal {

    /** The exchange is open, or what was sent has gone. */
    record Room() implements Signal {}

    /** The reply's head. */
    record Head(int status) implements Signal {}

    /** A part of the reply. */
    record Part(Buffer bytes) implements Signal {}

    /** The reply is whole. */
    record End() implements Signal {}

    /** It will not become whole. */
    record Failed(WireException cause) implements Signal {}
  }

  FolderExchange(Context loop) {
    this.loop = loop;
  }

  void begin(WireClient client, Endpoint boxd, RequestHead head)
      throws WireException, InterruptedException {
    loop.runOnContext(_ -> client.begin(boxd, head, this, this::opened, this::failed));
    var _ = next(); // opened
  }

  private void opened(Exchange now) {
    if (closed) {
      now.abort();
      return;
    }
    exchange = now;
    signals.add(new Signal.Room());
  }

  /** Sends all of a stream, unless the reply comes before its end. */
  void send(InputStream body) throws IOException, WireException, InterruptedException {
    byte[] part = new byte[PART];
    int size = body.readNBytes(part, 0, PART);
    while (size > 0) {
      Buffer bytes = Buffer.buffer(size).appendBytes(part, 0, size);
      loop.runOnContext(_ -> write(bytes));
      if (next() instanceof Signal.Head head) {
        status = head.status();
        return; // a refusal: boxd reads no more
      }
      size = body.readNBytes(part, 0, PART);
    }
  }

  private void write(Buffer bytes) {
    Exchange now = exchange;
    if (now == null) {
      return;
    }
    now.write(bytes);
    if (now.writeQueueFull()) {
      now.drained(_ -> signals.add(new Signal.Room()));
    } else {
      signals.add(new Signal.Room());
    }
  }

  /** Ends the request. */
  void endRequest() {
    loop.runOnContext(
        _ -> {
          if (exchange != null) {
            exchange.endRequest();
          }
        });
  }

  /** Waits for the reply's head. */
  int status() throws WireException, InterruptedException {
    while (status == 0) {
      if (next() instanceof Signal.Head head) {
        status = head.status();
      }
    }
    return status;
  }

  /** Takes the reply's body. */
  void receive(OutputStream to) throws IOException, WireException, InterruptedException {
    Signal signal = next();
    while (!(signal instanceof Signal.End)) {
      if (signal instanceof Signal.Part part) {
        to.write(part.bytes().getBytes());
        loop.runOnContext(_ -> taken());
      }
      signal = next();
    }
  }

  /** The reply as an error's. */
  Answer problem() throws WireException, InterruptedException {
    Buffer body = Buffer.buffer();
    Signal signal = next();
    while (!(signal instanceof Signal.End) && body.length() < MAX_PROBLEM) {
      if (signal instanceof Signal.Part part) {
        body.appendBuffer(part.bytes());
        loop.runOnContext(_ -> taken());
      }
      signal = next();
    }
    return new Answer(status, body);
  }

  private void taken() {
    waiting--;
    if (exchange != null && waiting == MOST_WAITING - 1) {
      exchange.resume();
    }
  }

  /** Aborts what is not whole. */
  void close() {
    loop.runOnContext(
        _ -> {
          closed = true;
          if (exchange != null) {
            exchange.abort();
          }
        });
  }

  private Signal next() throws WireException, InterruptedException {
    Signal signal = signals.poll(STALL_SECONDS, TimeUnit.SECONDS);
    return switch (signal) {
      case null -> throw new WireException("nothing has moved for " + STALL_SECONDS + " seconds");
      case Signal.Failed failed -> throw failed.cause();
      default -> signal;
    };
  }

  @Override
  public void head(ReplyHead head, boolean hasBody) {
    signals.add(new Signal.Head(head.status()));
  }

  @Override
  public void body(Buffer part, boolean last) {
    waiting++;
    if (exchange != null && waiting == MOST_WAITING) {
      exchange.pause();
    }
    signals.add(new Signal.Part(part));
  }

  @Override
  public void end() {
    signals.add(new Signal.End());
  }

  @Override
  public void failed(WireException cause) {
    signals.add(new Signal.Failed(cause));
  }
}
