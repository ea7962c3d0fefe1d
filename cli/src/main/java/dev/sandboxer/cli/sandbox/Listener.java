package dev.sandboxer.cli.sandbox;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Passes output on and remembers the end of standard error. */
public final class Listener implements OutputSink {
  private static final int MOST = 16 * 1024;

  private final OutputSink next;
  private byte[] tail = new byte[0];

  public Listener(OutputSink next) {
    this.next = next;
  }

  @Override
  public void out(byte[] bytes) throws IOException {
    next.out(bytes);
  }

  @Override
  public void err(byte[] bytes) throws IOException {
    next.err(bytes);
    remember(bytes);
  }

  private synchronized void remember(byte[] bytes) {
    int fresh = Math.min(bytes.length, MOST);
    int old = Math.min(tail.length, MOST - fresh);
    byte[] kept = new byte[old + fresh];
    System.arraycopy(tail, tail.length - old, kept, 0, old);
    System.arraycopy(bytes, bytes.length - fresh, kept, old, fresh);
    tail = kept;
  }

  /** The last 16 KiB of standard error. */
  public synchronized String errors() {
    return new String(tail, StandardCharsets.UTF_8);
  }

  @Override
  public void describe(ObjectNode document) {
    next.describe(document);
  }
}
