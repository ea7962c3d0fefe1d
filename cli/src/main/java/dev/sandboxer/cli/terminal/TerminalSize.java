package dev.sandboxer.cli.terminal;

/** A terminal's size in characters. */
public record TerminalSize(int cols, int rows) {
  /** What a terminal has that does not know its size. */
  public static final TerminalSize USUAL = new TerminalSize(80, 24);

  /** From what {@code stty size} prints: rows, then columns. */
  static TerminalSize of(String printed) {
    String[] words = printed.strip().split(" ", -1);
    if (words.length != 2 || !words[0].matches("[0-9]{1,4}") || !words[1].matches("[0-9]{1,4}")) {
      return USUAL;
    }
    int rows = Integer.parseInt(words[0]);
    int cols = Integer.parseInt(words[1]);
    return rows == 0 || cols == 0 ? USUAL : new TerminalSize(cols, rows);
  }
}
