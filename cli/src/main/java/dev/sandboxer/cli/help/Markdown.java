package dev.sandboxer.cli.help;

import java.util.List;

/** A page of Markdown, built line by line. */
final class Markdown {
  private final StringBuilder page = new StringBuilder();

  Markdown heading(int level, String text) {
    return blank().line("#".repeat(level) + " " + text);
  }

  Markdown paragraph(String text) {
    return text.isBlank() ? this : blank().line(text.strip());
  }

  Markdown code(String language, String text) {
    return blank().line("```" + language).line(text.stripTrailing()).line("```");
  }

  /** A table; without rows nothing. */
  Markdown table(List<String> titles, List<List<String>> rows) {
    if (rows.isEmpty()) {
      return this;
    }
    blank().row(titles).line("|" + "---|".repeat(titles.size()));
    rows.forEach(this::row);
    return this;
  }

  private Markdown row(List<String> cells) {
    StringBuilder row = new StringBuilder("|");
    for (String cell : cells) {
      row.append(' ').append(cell.replace("|", "\\|").replaceAll("\\s+", " ").strip()).append(" |");
    }
    return line(row.toString());
  }

  private Markdown blank() {
    return page.isEmpty() ? this : line("");
  }

  private Markdown line(String text) {
    page.append(text).append('\n');
    return this;
  }

  static String quoted(String text) {
    return text.isEmpty() ? "" : "`" + text + "`";
  }

  String text() {
    return page.toString();
  }
}
