package dev.sandboxer.ssh.host;

import dev.sandboxer.ssh.host.ExecResult.Output;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Keeps the last bytes that are written to it. */
final class Tail extends OutputStream {

  private final int most;
  private byte[] bytes = new byte[1024];
  private int count;
  private long dropped;

  Tail(int most) {
    this.most = most;
  }

  @Override
  public void write(int one) {
    write(new byte[] {(byte) one}, 0, 1);
  }

  @Override
  public synchronized void write(byte[] source, int offset, int length) {
    if (count + length > bytes.length) {
      // Twice the bound, so that not each write moves everything.
      bytes = Arrays.copyOf(bytes, Math.max(count + length, Math.min(2 * bytes.length, 2 * most)));
    }
    System.arraycopy(source, offset, bytes, count, length);
    count += length;
    if (count >= 2 * most) {
      shorten();
    }
  }

  private void shorten() {
    int over = count - most;
    System.arraycopy(bytes, over, bytes, 0, most);
    dropped += over;
    count = most;
  }

  synchronized Output output() {
    if (count > most) {
      shorten();
    }
    return new Output(new String(bytes, 0, count, StandardCharsets.UTF_8), dropped);
  }
}
