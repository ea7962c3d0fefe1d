package dev.sandboxer.cli.terminal;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/** Standard output, which notices that nobody reads it any more. */
final class ResultStream extends FilterOutputStream {
  private static final String NO_READER = "Broken pipe"; // strerror(EPIPE)

  private volatile boolean readerGone;

  ResultStream(OutputStream to) {
    super(to);
  }

  boolean readerGone() {
    return readerGone;
  }

  @Override
  public void write(int value) throws IOException {
    noticing(() -> out.write(value));
  }

  @Override
  public void write(byte[] bytes, int from, int length) throws IOException {
    noticing(() -> out.write(bytes, from, length));
  }

  @Override
  public void flush() throws IOException {
    noticing(out::flush);
  }

  private void noticing(Step step) throws IOException {
    try {
      step.take();
    } catch (IOException e) {
      readerGone |= String.valueOf(e.getMessage()).contains(NO_READER);
      throw e;
    }
  }

  private interface Step {
    void take() throws IOException;
  }
}
