package dev.sandboxer.sink.file;

import dev.sandboxer.spi.sink.EventSink;
import dev.sandboxer.spi.sink.SinkException;
import dev.sandboxer.testing.NoCall;
import dev.sandboxer.testing.SampleEvents;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A process that delivers events for ever, as the platform does: several at once, each again until
 * it is taken. It prints {@code taken N} or {@code away}.
 */
final class Writer {

  private static final int AT_ONCE = 8;

  private final EventSink sink;
  private final int fill;

  private Writer(EventSink sink, int fill) {
    this.sink = sink;
    this.fill = fill;
  }

  public static void main(String[] arguments) {
    EventSink sink = Written.sink(Map.of("path", arguments[0], "rotate_bytes", arguments[1]));
    Writer writer = new Writer(sink, Integer.parseInt(arguments[3]));
    int first = Integer.parseInt(arguments[2]);
    try (ExecutorService threads = Executors.newFixedThreadPool(AT_ONCE)) {
      for (int i = 0; i < AT_ONCE; i++) {
        int own = first + i;
        threads.execute(() -> writer.deliverAll(own));
      }
    }
  }

  private void deliverAll(int first) {
    for (int n = first; ; n += AT_ONCE) {
      while (!delivered(n)) {
        System.out.println("away");
        pause();
      }
      System.out.println("taken " + n);
    }
  }

  private boolean delivered(int number) {
    try {
      sink.deliver(SampleEvents.event(number, fill), new NoCall());
      return true;
    } catch (SinkException e) {
      return false;
    }
  }

  private static void pause() {
    try {
      Thread.sleep(20); // as long as the platform would wait at least
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
