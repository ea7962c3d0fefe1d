package dev.sandboxer.dataplane.exec;

/**
 * A terminal's size.
 *
 * @param cols characters in a line
 * @param rows lines
 */
public record TerminalSize(int cols, int rows) {
  /** What a terminal has that does not know its size: 80 by 24. */
  public static final TerminalSize USUAL = new TerminalSize(80, 24);
}
