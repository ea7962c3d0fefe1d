package dev.sandboxer.bench.group;

import dev.sandboxer.bench.report.Row;
import dev.sandboxer.bench.subject.Scene;
import java.util.List;

/** Rows that are measured together. */
public interface Group {

  /**
   * Measures them.
   *
   * @return the rows, floors first
   * @throws Exception if one could not be measured
   */
  List<Row> measure(Scene scene) throws Exception;
}
