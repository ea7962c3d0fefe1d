package dev.sandboxer.platform.dataplane.ws;

import dev.sandboxer.platform.dataplane.wire.WireException;
import io.vertx.core.buffer.Buffer;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;

/** Whether text messages are UTF-8, as RFC 6455, 8.1 requires, while they come in pieces. */
final class TextCheck {

  private static final int CHARS = 4096;

  private final CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
  private final CharBuffer characters = CharBuffer.allocate(CHARS);
  private Buffer cut = Buffer.buffer();

  /** Goes on in a message; a character may be cut where this piece ends. */
  void feed(Buffer in, int from, int end) throws WireException {
    Buffer piece = in.slice(from, end);
    ByteBuffer bytes =
        ByteBuffer.wrap((cut.length() == 0 ? piece : cut.appendBuffer(piece)).getBytes());
    CoderResult result;
    do {
      characters.clear();
      result = decoder.decode(bytes, characters, false);
    } while (result.isOverflow());
    if (result.isError()) {
      throw new WireException("text that is not UTF-8");
    }
    cut = Buffer.buffer();
    while (bytes.hasRemaining()) {
      cut.appendByte(bytes.get());
    }
  }

  /** Ends the message. */
  void end() throws WireException {
    if (cut.length() > 0) {
      throw new WireException("text that ends within a character");
    }
    decoder.reset();
  }
}
