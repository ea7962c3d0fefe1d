package dev.sandboxer.platform.dataplane.wire;

import io.vertx.core.buffer.Buffer;
import org.jspecify.annotations.Nullable;

/** Reads the bytes of one reply. */
final class ReplyReader {

  static final int MAX_HEAD_BYTES = 16 * 1024;
  private static final int MAX_INTERIM = 4;
  private static final int SWITCHING = 101;

  private final ReplyHandler handler;
  private final boolean headRequest;
  private final boolean upgradeWanted;
  private @Nullable Buffer partialHead;
  private @Nullable Framing framing;
  private @Nullable ChunkDecoder chunks;
  private long left;
  private int interim;
  private int scanned;
  private boolean closes;
  private boolean done;
  private Buffer rest = Buffer.buffer(0);

  ReplyReader(ReplyHandler handler, boolean headRequest, boolean upgradeWanted) {
    this.handler = handler;
    this.headRequest = headRequest;
    this.upgradeWanted = upgradeWanted;
  }

  /** Whether the reply is whole (or switched protocols). */
  boolean done() {
    return done;
  }

  /** Whether the other side closes the connection after its reply. */
  boolean closes() {
    return closes;
  }

  /** Whether part of a head has come, and not yet all. */
  boolean inHead() {
    return partialHead != null;
  }

  /** Bytes after the reply: the tunnel's first ones, else a breach. */
  Buffer rest() {
    return rest;
  }

  void feed(Buffer data) throws WireException {
    Buffer in = data;
    while (framing == null && !done) {
      Buffer all = partialHead == null ? in : partialHead.appendBuffer(in);
      int end = headEnd(all);
      if (end < 0) {
        partialHead = partialHead == null ? all.copy() : partialHead;
        return;
      }
      partialHead = null;
      scanned = 0;
      in = all.slice(end, all.length());
      headRead(HeadParser.parse(all, 0, end - 2), in);
    }
    body(in);
  }

  private int headEnd(Buffer buffer) throws WireException {
    int limit = Math.min(buffer.length(), MAX_HEAD_BYTES);
    for (int i = Math.max(3, scanned); i < limit; i++) {
      if (buffer.getByte(i) == '\n'
          && buffer.getByte(i - 1) == '\r'
          && buffer.getByte(i - 2) == '\n'
          && buffer.getByte(i - 3) == '\r') {
        return i + 1;
      }
    }
    if (buffer.length() >= MAX_HEAD_BYTES) {
      throw new WireException("a head larger than " + MAX_HEAD_BYTES + " bytes");
    }
    scanned = limit;
    return -1;
  }

  private void headRead(ReplyHead head, Buffer after) throws WireException {
    if (head.status() == SWITCHING) {
      if (!upgradeWanted) {
        throw new WireException("a switch of protocols that nobody asked for");
      }
      done = true;
      rest = after;
      handler.head(head, false);
      return;
    }
    if (head.status() < 200) {
      if (++interim > MAX_INTERIM) {
        throw new WireException("more than " + MAX_INTERIM + " interim replies");
      }
      return;
    }
    Framing decided = Framing.of(head, headRequest);
    framing = decided;
    closes = head.closes();
    boolean hasBody = !(decided instanceof Framing.None);
    if (decided instanceof Framing.Length length) {
      left = length.bytes();
    } else if (hasBody) {
      chunks = new ChunkDecoder();
    }
    handler.head(head, hasBody);
    if (!hasBody) {
      finish();
    }
  }

  private void body(Buffer in) throws WireException {
    int at = 0;
    if (!done && chunks != null) {
      at = chunks.decode(in, 0, part -> handler.body(part, false));
      if (chunks.done()) {
        finish();
      }
    } else if (!done && in.length() > 0) {
      at = (int) Math.min(left, in.length());
      left -= at;
      handler.body(at == in.length() ? in : in.slice(0, at), left == 0);
      if (left == 0) {
        finish();
      }
    }
    if (done && at < in.length()) {
      rest = at == 0 ? in : in.slice(at, in.length());
    }
  }

  private void finish() {
    done = true;
    handler.end();
  }
}
