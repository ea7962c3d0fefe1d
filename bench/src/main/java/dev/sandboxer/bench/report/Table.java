package dev.sandboxer.bench.report;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A report for a person. */
public final class Table {

  private Table() {}

  /** The whole report as text. */
  public static String of(Report report) {
    StringBuilder text = new StringBuilder(report.machine().text()).append("\n\n");
    text.append(line("what", "p50", "p95", "p99", "unit", "n", "x floor", "goal (p50)", ""));
    report.rows().forEach(row -> text.append(line(row)));
    report.failures().forEach(failure -> text.append("FAILED ").append(failure).append('\n'));
    return text.append(closing(report.rows())).toString();
  }

  private static String line(Row row) {
    Ratio ratio = row.ratio();
    Goal goal = row.goal();
    return line(
        row.title(),
        figure(row.p50()),
        figure(row.p95()),
        figure(row.p99()),
        row.unit(),
        Integer.toString(row.samples()),
        ratio == null ? "" : figure(ratio.value()),
        goal == null ? "" : goal.text(),
        goal == null ? "" : row.reached() ? "reached" : "NOT reached");
  }

  private static String line(Object... cells) {
    return String.format(Locale.ROOT, "%-46s %9s %9s %9s  %-4s %6s  %8s %-10s %s%n", cells)
            .stripTrailing()
        + "\n";
  }

  private static String closing(List<Row> rows) {
    long goals = rows.stream().filter(row -> row.goal() != null).count();
    long reached = rows.stream().filter(row -> row.goal() != null && row.reached()).count();
    return "\n%d of %d goals reached\n".formatted(reached, goals);
  }

  /** Three digits or so: more would pretend a precision that is not there. */
  static String figure(@Nullable Double value) {
    if (value == null) {
      return "-";
    }
    String format = Math.abs(value) < 1 ? "%.3f" : Math.abs(value) < 100 ? "%.2f" : "%,.0f";
    return String.format(Locale.ROOT, format, value);
  }
}
