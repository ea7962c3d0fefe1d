package dev.sandboxer.platform.dataplane.wire;

import dev.sandboxer.spi.ByteStream;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Reads a stream on a thread of its own, no further ahead than a few parts. */
final class StreamReader implements Runnable {

  private static final int PART_BYTES = 64 * 1024;
  private static final int PARTS = 4;

  private final ByteStream stream;
  private final Consumer<Buffer> read;
  private final Consumer<@Nullable Throwable> ended;
  private final Semaphore room = new Semaphore(PARTS);

  /**
   * Makes a reader.
   *
   * @param stream to read
   * @param read gets each part, on the reader's thread
   * @param ended runs once, after all parts, with what failed
   */
  StreamReader(ByteStream stream, Consumer<Buffer> read, Consumer<@Nullable Throwable> ended) {
    this.stream = stream;
    this.read = read;
    this.ended = ended;
  }

  /** One part was taken out of memory. */
  void taken() {
    room.release();
  }

  @Override
  public void run() {
    Throwable failure = new IOException("the extension's stream broke off");
    try {
      readAll();
      failure = null;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException | RuntimeException e) {
      failure = e;
    } finally {
      ended.accept(failure);
    }
  }

  private void readAll() throws IOException, InterruptedException {
    ByteBuffer target = ByteBuffer.allocate(PART_BYTES);
    while (true) {
      room.acquire();
      target.clear();
      int count = stream.read(target);
      if (count < 0) {
        return;
      }
      if (count == 0) {
        throw new IOException("the extension's stream read nothing");
      }
      read.accept(Buffer.buffer(Arrays.copyOf(target.array(), count)));
    }
  }
}
