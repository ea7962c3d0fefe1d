package dev.sandboxer.platform.egress;

import io.vertx.core.buffer.Buffer;

/** Says in a reply that its connection ends with it: a program must not send another request. */
final class ReplyHead {

  private static final String CLOSE = "Connection: close\r\n";
  private static final int MAX_LINE = 8 * 1024;
  private static final int STATUS_AT = "HTTP/1.1 ".length();

  private Buffer line = Buffer.buffer();
  private boolean interim; // in the head of a 1xx
  private boolean done;

  /** The same bytes, with the header once the final status line is whole. */
  Buffer closing(Buffer data) {
    if (done) {
      return data;
    }
    Buffer out = Buffer.buffer(data.length() + CLOSE.length());
    int at = 0;
    while (at < data.length() && !done) {
      byte next = data.getByte(at);
      at++;
      line.appendByte(next);
      if (next == '\n') {
        out.appendBuffer(line);
        ended(out);
        line = Buffer.buffer();
      } else if (line.length() > MAX_LINE) {
        out.appendBuffer(line);
        done = true; // no reply of HTTP/1.1, which the program may judge
      }
    }
    return done ? out.appendBuffer(data.slice(at, data.length())) : out;
  }

  private void ended(Buffer out) {
    if (interim) {
      interim = line.length() > 2; // an empty line ends it
    } else if (line.length() > STATUS_AT && line.getByte(STATUS_AT) == '1') {
      interim = true;
    } else {
      out.appendString(CLOSE);
      done = true;
    }
  }
}
