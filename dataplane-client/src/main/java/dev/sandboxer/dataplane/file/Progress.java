package dev.sandboxer.dataplane.file;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** Receives how many bytes have gone through so far, on the thread that moves them. */
@FunctionalInterface
public interface Progress {
  /** Does nothing. */
  Progress NONE = total -> {};

  /**
   * More went through.
   *
   * @param total bytes since the beginning
   */
  void moved(long total);

  /** The same bytes, counted as they are read. */
  default InputStream watch(InputStream bytes) {
    return new Watched(bytes, this);
  }

  /** Counts. */
  final class Watched extends FilterInputStream {
    private final Progress progress;
    private long total;

    private Watched(InputStream bytes, Progress progress) {
      super(bytes);
      this.progress = progress;
    }

    @Override
    public int read() throws IOException {
      int one = super.read();
      count(one < 0 ? 0 : 1);
      return one;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
      int count = super.read(into, offset, length);
      count(Math.max(0, count));
      return count;
    }

    private void count(int more) {
      total += more;
      if (more > 0) {
        progress.moved(total);
      }
    }
  }
}
