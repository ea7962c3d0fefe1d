package dev.sandboxer.cli.terminal;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A table for a person: columns as wide as their widest cell, control characters escaped. Cells
 * below a title STATE have the state's colour.
 */
public final class Table {
  private static final String STATE = "STATE";

  /** Every terminal is so wide, so it need not be asked. */
  private static final int SAFE_WIDTH = 80;

  private final List<List<String>> rows = new ArrayList<>();

  public Table(String... titles) {
    rows.add(List.of(titles));
  }

  /** Adds a row of as many cells as there are titles. */
  public void add(String... cells) {
    List<String> row = new ArrayList<>();
    for (String cell : cells) {
      row.add(Escapes.visible(cell));
    }
    rows.add(row);
  }

  /** Writes the titles and rows; on a terminal each line is cut at its width. */
  public void print(Console console, Palette palette) {
    int limit = width() > SAFE_WIDTH ? console.columns() : Integer.MAX_VALUE;
    lines(palette, limit).forEach(console::result);
  }

  /** The titles and rows, a line each. */
  public List<String> lines(Palette palette) {
    return lines(palette, Integer.MAX_VALUE);
  }

  private List<String> lines(Palette palette, int limit) {
    List<String> lines = new ArrayList<>();
    lines.add(line(rows.getFirst(), limit, (_, text) -> palette.title(text)));
    for (List<String> row : rows.subList(1, rows.size())) {
      lines.add(line(row, limit, (column, text) -> painted(column, text, palette)));
    }
    return lines;
  }

  private String line(List<String> row, int limit, Paint paint) {
    StringBuilder line = new StringBuilder();
    int left = limit;
    for (int column = 0; column < row.size() && left > 0; column++) {
      String cell = Columns.cut(row.get(column), left);
      line.append(paint.of(column, cell));
      int gap = width(column) - Columns.of(cell) + 2;
      left -= width(column) + 2;
      if (column < row.size() - 1 && left > 0) {
        line.append(" ".repeat(gap));
      }
    }
    return line.toString().stripTrailing();
  }

  private String painted(int column, String text, Palette palette) {
    return rows.getFirst().get(column).equals(STATE) ? palette.state(text) : text;
  }

  /** Of a whole line. */
  private int width() {
    return IntStream.range(0, rows.getFirst().size()).map(column -> width(column) + 2).sum() - 2;
  }

  private int width(int column) {
    return rows.stream().mapToInt(row -> Columns.of(row.get(column))).max().orElse(0);
  }

  private interface Paint {
    String of(int column, String text);
  }
}
