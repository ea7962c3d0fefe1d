package dev.sandboxer.platform.api.langbot;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.WebSocketFrame;
import java.util.Optional;

/** Puts text messages together from their frames, up to the sizes that the client keeps to. */
final class MessageFrames {

  static final int MOST_BYTES = 16 * 1024 * 1024;
  private static final int MOST_FRAGMENTS = 4096;
  private static final int TOO_BIG = 1009;
  private static final int UNSUPPORTED = 1003;

  private Buffer message = Buffer.buffer();
  private int fragments;

  /** The end of a connection. */
  static final class ProtocolException extends Exception {

    private static final long serialVersionUID = 1L;

    private final int status;

    ProtocolException(int status, String message) {
      super(message);
      this.status = status;
    }

    int status() {
      return status;
    }
  }

  /** Adds a frame; a message if it is whole by that. */
  Optional<Buffer> add(WebSocketFrame frame) throws ProtocolException {
    if (frame.isBinary()) {
      throw new ProtocolException(UNSUPPORTED, "messages must be text");
    }
    if (!frame.isText() && !frame.isContinuation()) {
      return Optional.empty();
    }
    fragments++;
    Buffer part = frame.binaryData();
    if (fragments > MOST_FRAGMENTS || part.length() > MOST_BYTES - message.length()) {
      throw new ProtocolException(
          TOO_BIG,
          "a message may have %d bytes in %d frames".formatted(MOST_BYTES, MOST_FRAGMENTS));
    }
    message.appendBuffer(part);
    if (!frame.isFinal()) {
      return Optional.empty();
    }
    Buffer whole = message;
    message = Buffer.buffer();
    fragments = 0;
    return Optional.of(whole);
  }
}
