package dev.sandboxer.platform.dataplane.wire;

import dev.sandboxer.spi.ByteStream;
import io.vertx.core.Context;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

/**
 * A stream of an extension, which blocks. One virtual thread reads it and another one writes it;
 * bounded buffers stop both. All else happens on the event loop.
 */
final class OpenedStream implements WireStream, StreamWriter.Events {

  private final Vertx vertx;
  private final Context loop;
  private final ByteStream stream;
  private final ThreadFactory threads;
  private final Runnable closed;
  private final StreamReader reader;
  private final StreamWriter writer;
  private final Thread reading;
  private final Thread writing;
  private final Queue<Buffer> received = new ArrayDeque<>();
  private Handler<Buffer> data = part -> {};
  private Handler<Throwable> failed = cause -> {};
  private Handler<Void> ended = end -> {};
  private Handler<Void> drained = room -> {};
  private boolean paused;
  private boolean delivering;
  private boolean inputEnded;
  private boolean outputEnded;
  private @Nullable Throwable failure;
  private boolean endDelivered;
  private boolean closing;
  private boolean cut;
  private long linger = -1;

  /**
   * Takes a stream over; it flows once the event loop is free again.
   *
   * @param vertx for timers
   * @param loop where handlers run; this runs there as well
   * @param stream open
   * @param threads that may call the extension
   * @param closed runs on a thread of its own, once the stream is closed
   */
  OpenedStream(
      Vertx vertx, Context loop, ByteStream stream, ThreadFactory threads, Runnable closed) {
    this.vertx = vertx;
    this.loop = loop;
    this.stream = stream;
    this.threads = threads;
    this.closed = closed;
    reader =
        new StreamReader(
            stream, part -> onLoop(() -> partRead(part)), cause -> onLoop(() -> readEnded(cause)));
    writer = new StreamWriter(stream, this);
    reading = threads.newThread(reader);
    writing = threads.newThread(writer);
    onLoop(
        () -> {
          reading.start();
          writing.start();
        });
  }

  @Override
  public void handler(Handler<Buffer> handler) {
    data = handler;
  }

  @Override
  public void exceptionHandler(Handler<Throwable> handler) {
    failed = handler;
  }

  @Override
  public void endHandler(Handler<Void> handler) {
    ended = handler;
  }

  @Override
  public void pause() {
    paused = true;
  }

  @Override
  public void resume() {
    if (paused) {
      paused = false;
      onLoop(this::deliver);
    }
  }

  @Override
  public void write(Buffer part) {
    if (!closing && !cut) {
      writer.write(part);
    }
  }

  @Override
  public boolean writeQueueFull() {
    return writer.full();
  }

  @Override
  public void drainHandler(Handler<Void> handler) {
    drained = handler;
    writer.awaitRoom();
  }

  @Override
  public void close() {
    if (!closing && !cut) {
      closing = true;
      cutLater();
      writer.end();
      deliver();
    }
  }

  @Override
  public void cut() {
    if (cut) {
      return;
    }
    cut = true;
    vertx.cancelTimer(linger);
    threads.newThread(this::closeStream).start();
    inputEnded = true;
    deliver();
  }

  private void closeStream() {
    try {
      stream.close();
    } finally {
      reading.interrupt();
      writing.interrupt();
      closed.run();
    }
  }

  private void cutLater() {
    vertx.cancelTimer(linger);
    linger = vertx.setTimer(SocketStream.LINGER_MILLIS, fired -> cut());
  }

  @Override
  public void room() {
    onLoop(() -> drained.handle(null));
  }

  @Override
  public void ended(boolean halfClosed) {
    onLoop(
        () -> {
          outputEnded = true;
          if (halfClosed) {
            deliver(); // the other side reads to the end, and closes then
          } else {
            cut();
          }
        });
  }

  /** What the other side said before it stopped reading is still to come. */
  @Override
  public void failed(Throwable cause) {
    onLoop(
        () -> {
          failure = failure == null ? cause : failure;
          cutLater();
        });
  }

  private void partRead(Buffer part) {
    received.add(part);
    deliver();
  }

  private void readEnded(@Nullable Throwable cause) {
    inputEnded = true;
    failure = failure == null ? cause : failure;
    deliver();
  }

  private void deliver() {
    if (delivering) {
      return;
    }
    delivering = true;
    try {
      deliverParts();
    } finally {
      delivering = false;
    }
    if (inputEnded && received.isEmpty()) {
      deliverEnd();
    }
  }

  /** Whoever closes hears no more; parts are still taken, so that the end is seen. */
  private void deliverParts() {
    while ((!paused || closing || cut) && !received.isEmpty()) {
      Buffer part = received.remove();
      reader.taken();
      if (!closing && !cut) {
        data.handle(part);
      }
    }
  }

  private void deliverEnd() {
    if (!paused && !endDelivered) {
      endDelivered = true;
      if (failure != null) {
        failed.handle(failure);
      }
      ended.handle(null);
    }
    if (closing ? outputEnded : endDelivered) {
      cut();
    }
  }

  private void onLoop(Runnable task) {
    loop.runOnContext(on -> task.run());
  }
}
