package dev.sandboxer.cli.terminal;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/**
 * Lines for a person: results on standard output, progress and errors on standard error. Safe for
 * use by several threads.
 */
public final class Console {
  private final Streams streams;

  public Console(Streams streams) {
    this.streams = streams;
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
      throw new UncheckedIOException(e);
    }
  }
}
