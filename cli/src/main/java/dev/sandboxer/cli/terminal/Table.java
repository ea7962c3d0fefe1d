package dev.sandboxer.cli.terminal;

import java.util.ArrayList;
import java.util.List;

/** A table for a person: columns as wide as their widest cell, control characters escaped. */
public final class Table {
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
  public void print(Console console) {
    for (List<String> row : rows) {
      console.result(line(row));
    }
  }

  private String line(List<String> row) {
    StringBuilder line = new StringBuilder();
    for (int column = 0; column < row.size(); column++) {
      String cell = row.get(column);
      line.append(cell).append(" ".repeat(width(column) - cell.length() + 2));
    }
    return line.toString().stripTrailing();
  }

  private int width(int column) {
    return rows.stream().mapToInt(row -> row.get(column).length()).max().orElse(0);
  }
}
