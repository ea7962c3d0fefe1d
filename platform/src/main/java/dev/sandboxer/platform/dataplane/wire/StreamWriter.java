package dev.sandboxer.platform.dataplane.wire;

import dev.sandboxer.spi.ByteStream;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;

/** Writes a stream on a thread of its own. What waits is bounded by who asks {@link #full}. */
final class StreamWriter implements Runnable {

  private static final long FULL_BYTES = 256 * 1024;
  private static final long ROOM_BYTES = FULL_BYTES / 2;
  private static final Buffer LAST = Buffer.buffer(0); // no other one is empty

  private final ByteStream stream;
  private final Events events;
  private final BlockingQueue<Buffer> queue = new LinkedBlockingQueue<>();
  private final AtomicLong waiting = new AtomicLong();
  private volatile boolean roomAwaited;

  /** What becomes of the writing. Called on the writer's thread, {@code room} on any. */
  interface Events {

    /** There is room again, and somebody waits for it. */
    void room();

    /** All is written. */
    void ended(boolean halfClosed);

    /** Nothing more is written. */
    void failed(Throwable cause);
  }

  StreamWriter(ByteStream stream, Events events) {
    this.stream = stream;
    this.events = events;
  }

  void write(Buffer data) {
    if (data.length() > 0) {
      waiting.addAndGet(data.length());
      queue.add(data);
    }
  }

  /** Nothing more is to be written. */
  void end() {
    queue.add(LAST);
  }

  boolean full() {
    return waiting.get() >= FULL_BYTES;
  }

  /** Reports room once, at once if there is some. */
  void awaitRoom() {
    roomAwaited = true;
    reportRoom();
  }

  private void reportRoom() {
    if (roomAwaited && waiting.get() <= ROOM_BYTES) {
      roomAwaited = false;
      events.room();
    }
  }

  @Override
  public void run() {
    try {
      writeAll();
      events.ended(stream.closeOutput());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException | RuntimeException e) {
      events.failed(e);
    }
  }

  private void writeAll() throws IOException, InterruptedException {
    for (Buffer next = queue.take(); next.length() > 0; next = queue.take()) {
      stream.write(ByteBuffer.wrap(next.getBytes()));
      waiting.addAndGet(-next.length());
      reportRoom();
    }
  }
}
