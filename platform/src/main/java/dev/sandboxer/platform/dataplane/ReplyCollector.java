package dev.sandboxer.platform.dataplane;

import dev.sandboxer.platform.dataplane.wire.ReplyHead;
import dev.sandboxer.platform.dataplane.wire.WireException;
import io.vertx.core.buffer.Buffer;

/** Collects one reply in memory, up to a number of bytes. */
final class ReplyCollector extends Collector<Answer> {

  private final int mostBytes;
  private final Buffer body = Buffer.buffer();
  private int status;

  ReplyCollector(int mostBytes) {
    this.mostBytes = mostBytes;
  }

  @Override
  public void head(ReplyHead head, boolean hasBody) {
    status = head.status();
  }

  @Override
  void part(Buffer part) throws WireException {
    if (part.length() > mostBytes - body.length()) {
      throw new WireException("it sent a reply larger than " + mostBytes + " bytes");
    }
    body.appendBuffer(part);
  }

  @Override
  Answer whole() {
    return new Answer(status, body);
  }
}
