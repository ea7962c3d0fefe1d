package dev.sandboxer.bench.report;

import java.util.List;

/**
 * The outcome of a run.
 *
 * @param machine what it ran on
 * @param rows in the order of measuring
 * @param failures what could not be measured, in words
 */
public record Report(Machine machine, List<Row> rows, List<String> failures) {

  /** Copies the lists. */
  public Report {
    rows = List.copyOf(rows);
    failures = List.copyOf(failures);
  }
}
