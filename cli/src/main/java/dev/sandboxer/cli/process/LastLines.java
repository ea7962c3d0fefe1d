package dev.sandboxer.cli.process;

import dev.sandboxer.dataplane.exec.CommandOutput;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;

/** Keeps the last lines of each stream, and of those at most some MiB. */
final class LastLines implements CommandOutput {
  private static final int MOST_BYTES = 8 << 20;

  private final Stream out;
  private final Stream err;

  LastLines(int most) {
    this.out = new Stream(most);
    this.err = new Stream(most);
  }

  @Override
  public void out(byte[] bytes) {
    out.take(bytes);
  }

  @Override
  public void err(byte[] bytes) {
    err.take(bytes);
  }

  /** Passes on what is kept. */
  void into(CommandOutput output) throws IOException {
    output.err(err.kept());
    output.out(out.kept());
  }

  private static final class Stream {
    private final int most;
    private final Deque<byte[]> lines = new ArrayDeque<>();
    private ByteArrayOutputStream line = new ByteArrayOutputStream();
    private int size;

    Stream(int most) {
      this.most = most;
    }

    void take(byte[] bytes) {
      for (byte one : bytes) {
        line.write(one);
        if (one == '\n' || line.size() == MOST_BYTES) {
          end();
        }
      }
    }

    private void end() {
      lines.addLast(line.toByteArray());
      size += line.size();
      line = new ByteArrayOutputStream();
      drop();
    }

    /** A line that has not ended counts as one. */
    private void drop() {
      while (lines.size() + (line.size() > 0 ? 1 : 0) > most
          || (size > MOST_BYTES && lines.size() > 1)) {
        size -= lines.removeFirst().length;
      }
    }

    byte[] kept() {
      drop();
      ByteArrayOutputStream all = new ByteArrayOutputStream();
      lines.forEach(all::writeBytes);
      all.writeBytes(line.toByteArray());
      return all.toByteArray();
    }
  }
}
