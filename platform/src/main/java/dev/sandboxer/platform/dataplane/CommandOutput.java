package dev.sandboxer.platform.dataplane;

import io.vertx.core.buffer.Buffer;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * One stream of a command's output.
 *
 * @param bytes its first ones, not to be changed
 * @param clipped whether the command wrote more than that
 */
public record CommandOutput(Buffer bytes, boolean clipped) {

  private static final int LONGEST_CHARACTER = 4;

  /** Without a character at its end that was cut, so that clipped text stays text. */
  static CommandOutput of(Buffer kept, boolean clipped) {
    return new CommandOutput(clipped ? kept.slice(0, whole(kept)) : kept, clipped);
  }

  private static int whole(Buffer kept) {
    for (int back = 1; back < LONGEST_CHARACTER && back <= kept.length(); back++) {
      int at = kept.length() - back;
      int first = kept.getUnsignedByte(at);
      if (first >= 0xc0) {
        return characterBytes(first) > back ? at : kept.length();
      } else if (first < 0x80) {
        break;
      }
    }
    return kept.length();
  }

  private static int characterBytes(int first) {
    if (first >= 0xf0) {
      return LONGEST_CHARACTER;
    }
    return first >= 0xe0 ? 3 : 2;
  }

  /**
   * The output as text.
   *
   * @return empty if it is not valid UTF-8
   */
  public Optional<String> utf8() {
    try {
      ByteBuffer all = ByteBuffer.wrap(bytes.getBytes());
      return Optional.of(StandardCharsets.UTF_8.newDecoder().decode(all).toString());
    } catch (CharacterCodingException e) {
      return Optional.empty();
    }
  }

  /**
   * The output as text in any case.
   *
   * @return with the replacement character for what is not UTF-8
   */
  public String text() {
    return bytes.toString(StandardCharsets.UTF_8);
  }
}
