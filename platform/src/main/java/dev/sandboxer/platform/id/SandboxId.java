package dev.sandboxer.platform.id;

import java.util.Optional;

/**
 * The id of a sandbox.
 *
 * @param raw a letter and 19 of {@code [a-z0-9]}, as rows, keys and backends have it
 */
public record SandboxId(String raw) {

  private static final String PREFIX = "sb_";

  /** Checks the form; {@link IllegalArgumentException} names what is wrong. */
  public SandboxId {
    if (!isRaw(raw, 0)) {
      throw new IllegalArgumentException(
          "sandbox id '" + raw + "' must be a letter and 19 lower case letters and digits");
    }
  }

  /**
   * Reads the form that callers see.
   *
   * @param publicId such as {@code sb_a1...}
   * @return empty if the text is no such id
   */
  public static Optional<SandboxId> parse(String publicId) {
    return publicId.startsWith(PREFIX) && isRaw(publicId, PREFIX.length())
        ? Optional.of(new SandboxId(publicId.substring(PREFIX.length())))
        : Optional.empty();
  }

  /** Without a regular expression: a request makes one. */
  private static boolean isRaw(String text, int from) {
    if (text.length() - from != Ids.LENGTH || !isLetter(text.charAt(from))) {
      return false;
    }
    for (int i = from + 1; i < text.length(); i++) {
      char c = text.charAt(i);
      if (!isLetter(c) && (c < '0' || c > '9')) {
        return false;
      }
    }
    return true;
  }

  private static boolean isLetter(char c) {
    return c >= 'a' && c <= 'z';
  }

  /**
   * The id as callers see it.
   *
   * @return {@code sb_<raw>}
   */
  public String publicId() {
    return PREFIX + raw;
  }

  /** As callers and logs see it; where the raw id is needed, {@link #raw} says so. */
  @Override
  public String toString() {
    return publicId();
  }
}
