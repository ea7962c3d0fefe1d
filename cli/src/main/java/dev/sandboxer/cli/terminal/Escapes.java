package dev.sandboxer.cli.terminal;

/**
 * Makes text that may come from a sandbox or another tenant safe to show: no control character
 * reaches the terminal.
 */
public final class Escapes {
  private Escapes() {}

  /**
   * The text with control, format and line-separating characters written as {@code \}{@code u001b}.
   */
  public static String visible(String text) {
    StringBuilder shown = new StringBuilder(text.length());
    text.codePoints().forEach(point -> append(shown, point));
    return shown.toString();
  }

  private static void append(StringBuilder shown, int point) {
    if (harmless(point)) {
      shown.appendCodePoint(point);
    } else {
      shown.append(String.format("\\u%04x", point));
    }
  }

  private static boolean harmless(int point) {
    return switch (Character.getType(point)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.SURROGATE ->
          false;
      default -> true;
    };
  }
}
