package dev.sandboxer.platform.dataplane.wire;

import io.vertx.core.buffer.Buffer;
import java.util.function.Consumer;

/** Takes chunks apart. Extensions and trailers are bounded and dropped. */
final class ChunkDecoder {

  private static final int MAX_LINE = 256;
  private static final int MAX_TRAILER_LINES = 16;
  private static final int MAX_SIZE_DIGITS = 15;

  private enum State {
    SIZE,
    DATA,
    DATA_END,
    TRAILER,
    DONE
  }

  private final StringBuilder line = new StringBuilder();
  private State state = State.SIZE;
  private long left;
  private int trailers;

  /**
   * Decodes.
   *
   * @param in bytes as they came
   * @param from where to begin
   * @param out takes the contents, as slices
   * @return where it stopped: the end of {@code in}, or the first byte after the last chunk
   */
  int decode(Buffer in, int from, Consumer<Buffer> out) throws WireException {
    int at = from;
    while (at < in.length() && state != State.DONE) {
      at = state == State.DATA ? data(in, at, out) : line(in, at);
    }
    return at;
  }

  boolean done() {
    return state == State.DONE;
  }

  private int data(Buffer in, int at, Consumer<Buffer> out) {
    int end = (int) Math.min(in.length(), at + left);
    out.accept(in.slice(at, end));
    left -= end - at;
    if (left == 0) {
      state = State.DATA_END;
    }
    return end;
  }

  private int line(Buffer in, int from) throws WireException {
    for (int at = from; at < in.length(); at++) {
      char c = (char) (in.getByte(at) & 0xff);
      if (c == '\n') {
        lineRead();
        return at + 1;
      }
      line.append(c);
      if (line.length() > MAX_LINE) {
        throw new WireException("a chunk line longer than " + MAX_LINE + " bytes");
      }
    }
    return in.length();
  }

  private void lineRead() throws WireException {
    int end = line.length() - 1;
    if (end < 0 || line.charAt(end) != '\r') {
      throw new WireException("a chunk line ends without CR");
    }
    String text = line.substring(0, end);
    line.setLength(0);
    switch (state) {
      case SIZE -> sizeRead(text);
      case DATA_END -> dataEnded(text);
      case TRAILER -> trailerRead(text);
      default -> throw new IllegalStateException("a line in state " + state);
    }
  }

  private void sizeRead(String text) throws WireException {
    int extension = text.indexOf(';');
    String size = extension < 0 ? text : text.substring(0, extension);
    if (size.isEmpty()
        || size.length() > MAX_SIZE_DIGITS
        || !size.chars().allMatch(c -> Character.digit(c, 16) >= 0 && c < 128)) {
      throw new WireException("a chunk size that is no number");
    }
    left = Long.parseLong(size, 16);
    state = left == 0 ? State.TRAILER : State.DATA;
  }

  private void dataEnded(String text) throws WireException {
    if (!text.isEmpty()) {
      throw new WireException("a chunk longer than its size");
    }
    state = State.SIZE;
  }

  private void trailerRead(String text) throws WireException {
    if (text.isEmpty()) {
      state = State.DONE;
    } else if (++trailers > MAX_TRAILER_LINES) {
      throw new WireException("more than " + MAX_TRAILER_LINES + " trailers");
    }
  }
}
