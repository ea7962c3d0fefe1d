package dev.sandboxer.cli.terminal;

import dev.sandboxer.cli.Failure;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Lines for a person: results on standard output, progress and errors on standard error. Safe for
 * use by several threads.
 */
public final class Console {
  private final ResultStream out;
  private final Streams streams;

  public Console(Streams streams) {
    this.out = new ResultStream(streams.out());
    this.streams = streams.withOut(out);
  }

  /** Whether whoever read the results has gone, as {@code head} does after its lines. */
  public boolean readerGone() {
    return out.readerGone();
  }

  /** A line of a result. */
  public void result(String line) {
    write(streams.out(), line);
  }

  /** A part of a result that is no line, such as what moves a terminal's cursor. */
  public void resultPart(String text) {
    writeText(streams.out(), text);
  }

  /** A line about what is going on. */
  public void tell(String line) {
    write(streams.err(), line);
  }

  /** A line about what went wrong. */
  public void error(String line) {
    tell("sandboxer: " + Escapes.visible(line));
  }

  /** How wide the terminal is that shows results; without end where there is none. */
  int columns() {
    return streams.outTerminal() ? Terminal.ofStandardOutput().size().cols() : Integer.MAX_VALUE;
  }

  /** The raw streams. */
  public Streams streams() {
    return streams;
  }

  private static void write(OutputStream stream, String line) {
    writeText(stream, line + "\n");
  }

  private static void writeText(OutputStream stream, String text) {
    try {
      synchronized (stream) {
        stream.write(text.getBytes(StandardCharsets.UTF_8));
        stream.flush();
      }
    } catch (IOException e) {
      throw Failure.sandboxer("the output cannot be written: " + e.getMessage(), e);
    }
  }
}
