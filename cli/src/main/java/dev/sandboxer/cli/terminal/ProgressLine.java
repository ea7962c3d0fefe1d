package dev.sandboxer.cli.terminal;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** One line of a terminal that says how far a transfer is, and is gone at its end. */
public final class ProgressLine implements AutoCloseable {
  private static final long PAUSE = Duration.ofMillis(100).toNanos();
  private static final String CLEAR = "\r\u001b[K";

  private final Console console;
  private final boolean shown;
  private final long begin = System.nanoTime();
  private long last = begin;
  private boolean dirty;

  /**
   * Begins.
   *
   * @param shown false shows nothing
   */
  public ProgressLine(Console console, boolean shown) {
    this.console = console;
    this.shown = shown;
  }

  /** Shows the number of bytes so far, ten times a second at most. */
  public synchronized void moved(long total) {
    long now = System.nanoTime();
    if (!shown || now - last < PAUSE) {
      return;
    }
    last = now;
    dirty = true;
    double seconds = (now - begin) / 1e9;
    write(CLEAR + Spans.bytes(total) + ", " + Spans.bytes((long) (total / seconds)) + "/s");
  }

  @Override
  public synchronized void close() {
    if (dirty) {
      write(CLEAR);
    }
  }

  private void write(String text) {
    try {
      console.streams().err().write(text.getBytes(StandardCharsets.UTF_8));
      console.streams().err().flush();
    } catch (IOException e) {
      dirty = false; // a terminal that is gone sees no progress
    }
  }
}
