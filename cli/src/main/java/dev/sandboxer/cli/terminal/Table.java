package dev.sandboxer.cli.terminal;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

/**
 * A table for a person: columns as wide as their widest cell, control characters escaped. Cells
 * below a title STATE have the state's colour.
 */
public final class Table {
  private static final String STATE = "STATE";

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

  /** Writes the titles and rows. */
  public void print(Console console, Palette palette) {
    lines(palette).forEach(console::result);
  }

  /** The titles and rows, a line each. */
  public List<String> lines(Palette palette) {
    List<String> lines = new ArrayList<>();
    lines.add(line(rows.getFirst(), column -> palette.title(rows.getFirst().get(column))));
    for (List<String> row : rows.subList(1, rows.size())) {
      lines.add(line(row, column -> painted(row, column, palette)));
    }
    return lines;
  }

  private String line(List<String> row, IntFunction<String> painted) {
    StringBuilder line = new StringBuilder();
    for (int column = 0; column < row.size(); column++) {
      String cell = row.get(column);
      line.append(painted.apply(column));
      if (column < row.size() - 1) {
        line.append(" ".repeat(width(column) - Columns.of(cell) + 2));
      }
    }
    return line.toString().stripTrailing();
  }

  private String painted(List<String> row, int column, Palette palette) {
    String cell = row.get(column);
    return rows.getFirst().get(column).equals(STATE) ? palette.state(cell) : cell;
  }

  private int width(int column) {
    return rows.stream().mapToInt(row -> Columns.of(row.get(column))).max().orElse(0);
  }
}
