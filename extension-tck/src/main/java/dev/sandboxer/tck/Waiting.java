package dev.sandboxer.tck;

import java.time.Duration;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Asks again until the answer fits or the time is over. */
final class Waiting {
  private static final long PAUSE_MILLIS = 20;

  private Waiting() {}

  /** The first answer that fits, else the last. */
  static <T> T until(Duration limit, Supplier<T> ask, Predicate<T> fits) {
    long end = System.nanoTime() + limit.toNanos();
    T answer = ask.get();
    while (!fits.test(answer) && System.nanoTime() < end) {
      try {
        Thread.sleep(PAUSE_MILLIS);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
      answer = ask.get();
    }
    return answer;
  }
}
