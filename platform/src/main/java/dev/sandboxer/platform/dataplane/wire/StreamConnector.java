package dev.sandboxer.platform.dataplane.wire;

import dev.sandboxer.spi.ByteStream;
import dev.sandboxer.spi.ByteStreamOpener;
import dev.sandboxer.spi.ExtensionException;
import io.vertx.core.Context;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;
import org.jboss.logging.Logger;

/** Has extensions open streams, no more at once than each opener allows. */
final class StreamConnector {

  private static final Logger LOG = Logger.getLogger(StreamConnector.class);
  private static final Duration OPEN_LIMIT = Duration.ofSeconds(15);

  private final Vertx vertx;
  private final StreamSlots slots;
  private final Duration slotLimit;
  private final Consumer<ByteStreamOpener> reclaim;

  /**
   * Makes a connector.
   *
   * @param vertx for timers
   * @param slots of all openers
   * @param slotLimit how long to wait for one
   * @param reclaim closes idle connections of an opener, so that their slots become free
   */
  StreamConnector(
      Vertx vertx, StreamSlots slots, Duration slotLimit, Consumer<ByteStreamOpener> reclaim) {
    this.vertx = vertx;
    this.slots = slots;
    this.slotLimit = slotLimit;
    this.reclaim = reclaim;
  }

  /** Runs on the event loop, and so do both handlers. */
  void connect(
      ByteStreamOpener opener,
      Context loop,
      Handler<WireStream> opened,
      Handler<WireException> failed) {
    Runnable granted = () -> loop.runOnContext(on -> open(opener, loop, opened, failed));
    if (!slots.take(opener, granted)) {
      reclaim.accept(opener);
      vertx.setTimer(slotLimit.toMillis(), fired -> waitedEnough(opener, granted, failed));
    }
  }

  private void waitedEnough(
      ByteStreamOpener opener, Runnable granted, Handler<WireException> failed) {
    if (slots.giveUp(opener, granted)) {
      failed.handle(
          new WireException("all of the streams that its extension allows at once are in use"));
    }
  }

  private void open(
      ByteStreamOpener opener,
      Context loop,
      Handler<WireStream> opened,
      Handler<WireException> failed) {
    ThreadFactory threads = threads(opener);
    OpeningCall call = new OpeningCall(OPEN_LIMIT);
    Opening opening = new Opening(opener, loop, threads, call, opened, failed);
    Thread thread = threads.newThread(opening::run);
    opening.timer =
        vertx.setTimer(
            OPEN_LIMIT.toMillis(),
            fired -> {
              opening.fail(new WireException("its stream was not opened in time"));
              call.cancel();
              thread.interrupt();
            });
    thread.start();
  }

  /** Extensions look for their classes by the thread. */
  private static ThreadFactory threads(ByteStreamOpener opener) {
    return task -> {
      Thread thread = Thread.ofVirtual().name("stream").unstarted(task);
      thread.setContextClassLoader(opener.getClass().getClassLoader());
      return thread;
    };
  }

  /** One stream that is being opened. Answers once, on the event loop. */
  private final class Opening {

    private final ByteStreamOpener opener;
    private final Context loop;
    private final ThreadFactory threads;
    private final OpeningCall call;
    private final Handler<WireStream> opened;
    private final Handler<WireException> failed;
    private long timer = -1;
    private boolean answered;

    private Opening(
        ByteStreamOpener opener,
        Context loop,
        ThreadFactory threads,
        OpeningCall call,
        Handler<WireStream> opened,
        Handler<WireException> failed) {
      this.opener = opener;
      this.loop = loop;
      this.threads = threads;
      this.call = call;
      this.opened = opened;
      this.failed = failed;
    }

    private void run() {
      boolean done = false;
      try {
        ByteStream stream = opener.open(call);
        done = true;
        loop.runOnContext(on -> succeed(stream));
      } catch (ExtensionException e) {
        LOG.warnf("an extension could not open a stream: %s: %s", e.code(), e.getMessage());
      } catch (RuntimeException e) {
        LOG.warn("an extension failed to open a stream", e);
      } finally {
        if (!done) {
          slots.free(opener);
          WireException cause = new WireException("its extension could not open a stream to it");
          loop.runOnContext(on -> fail(cause));
        }
      }
    }

    private void succeed(ByteStream stream) {
      if (answered) {
        Thread late = threads.newThread(() -> close(stream));
        late.start();
      } else {
        answered();
        opened.handle(new OpenedStream(vertx, loop, stream, threads, () -> slots.free(opener)));
      }
    }

    private void close(ByteStream stream) {
      try {
        stream.close();
      } finally {
        slots.free(opener);
      }
    }

    private void fail(WireException cause) {
      if (!answered) {
        answered();
        failed.handle(cause);
      }
    }

    private void answered() {
      answered = true;
      vertx.cancelTimer(timer);
    }
  }
}
