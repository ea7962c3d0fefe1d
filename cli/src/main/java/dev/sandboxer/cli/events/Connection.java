package dev.sandboxer.cli.events;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One reply of Server-Sent Events, read aside: so that waiting for it can be ended. */
final class Connection implements AutoCloseable {
  private static final int AHEAD = 64;

  private final InputStream body;
  private final BlockingQueue<Optional<Message>> read = new ArrayBlockingQueue<>(AHEAD);
  private final Thread reader;

  Connection(InputStream body) {
    this.body = body;
    this.reader = Thread.ofVirtual().start(this::readAll);
  }

  private void readAll() {
    MessageReader messages = new MessageReader(body);
    try {
      @Nullable Message next;
      do {
        next = messages.next();
        read.put(Optional.ofNullable(next));
      } while (next != null);
    } catch (IOException e) {
      var _ = read.offer(Optional.empty());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** The next message; empty if the connection broke, or was silent for that long. */
  Optional<Message> next(Duration silence) throws InterruptedException {
    Optional<Message> next = read.poll(silence.toMillis(), TimeUnit.MILLISECONDS);
    return next == null ? Optional.empty() : next;
  }

  @Override
  public void close() {
    reader.interrupt();
    try {
      body.close();
    } catch (IOException e) {
      // it is broken already
    }
  }
}
