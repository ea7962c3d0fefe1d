package dev.sandboxer.dataplane.exec;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Keeps a command's output in memory, up to a number of bytes a stream; what is over it is dropped.
 * Read it once the command has ended.
 */
public final class CapturedOutput implements CommandOutput {
  private final int mostBytes;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private boolean outTruncated;
  private boolean errTruncated;

  /**
   * Nothing yet.
   *
   * @param mostBytes kept of each of the two streams
   */
  public CapturedOutput(int mostBytes) {
    this.mostBytes = mostBytes;
  }

  @Override
  public void out(byte[] bytes) {
    outTruncated |= keep(out, bytes);
  }

  @Override
  public void err(byte[] bytes) {
    errTruncated |= keep(err, bytes);
  }

  private boolean keep(ByteArrayOutputStream kept, byte[] bytes) {
    int room = Math.min(bytes.length, mostBytes - kept.size());
    kept.write(bytes, 0, room);
    return room < bytes.length;
  }

  /** What was kept of standard output. */
  public byte[] outBytes() {
    return out.toByteArray();
  }

  /** What was kept of standard error. */
  public byte[] errBytes() {
    return err.toByteArray();
  }

  /** Standard output as UTF-8; other bytes become replacement characters. */
  public String outText() {
    return out.toString(StandardCharsets.UTF_8);
  }

  /** Standard error as UTF-8; other bytes become replacement characters. */
  public String errText() {
    return err.toString(StandardCharsets.UTF_8);
  }

  /** Whether standard output was longer than what was kept. */
  public boolean outTruncated() {
    return outTruncated;
  }

  /** Whether standard error was longer than what was kept. */
  public boolean errTruncated() {
    return errTruncated;
  }
}
