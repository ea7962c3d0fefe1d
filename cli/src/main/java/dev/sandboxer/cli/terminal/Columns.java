package dev.sandboxer.cli.terminal;

/** How many columns of a terminal a text takes: a Chinese character takes two, an accent none. */
final class Columns {
  /** First and last code point of what is two columns wide (Unicode's East Asian Width W and F). */
  private static final int[][] WIDE = {
    {0x1100, 0x115f},
    {0x2e80, 0x303e},
    {0x3041, 0xa4cf},
    {0xa960, 0xa97f},
    {0xac00, 0xd7a3},
    {0xf900, 0xfaff},
    {0xfe30, 0xfe6f},
    {0xff00, 0xff60},
    {0xffe0, 0xffe6},
    {0x1f300, 0x1f64f},
    {0x1f680, 0x1f6ff},
    {0x1f900, 0x1faff},
    {0x20000, 0x3fffd},
  };

  private Columns() {}

  /**
   * The text within so many columns, with an ellipsis at its end where that leaves something out.
   */
  static String cut(String text, int most) {
    if (most == Integer.MAX_VALUE || of(text) <= most) {
      return text;
    }
    StringBuilder cut = new StringBuilder();
    int left = most - 1;
    for (int point : text.codePoints().toArray()) {
      left -= of(point);
      if (left < 0) {
        break;
      }
      cut.appendCodePoint(point);
    }
    return cut + "…";
  }

  static int of(String text) {
    return text.codePoints().map(Columns::of).sum();
  }

  private static int of(int point) {
    return switch (Character.getType(point)) {
      case Character.NON_SPACING_MARK, Character.ENCLOSING_MARK -> 0;
      default -> wide(point) ? 2 : 1;
    };
  }

  private static boolean wide(int point) {
    for (int[] range : WIDE) {
      if (point >= range[0] && point <= range[1]) {
        return true;
      }
    }
    return false;
  }
}
