package dev.sandboxer.bench;

import dev.sandboxer.bench.group.Group;
import dev.sandboxer.bench.report.Machine;
import dev.sandboxer.bench.report.Report;
import dev.sandboxer.bench.report.Row;
import dev.sandboxer.bench.subject.Scene;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Measures groups one after the other; one that fails does not stop the others. */
final class Bench {

  private final Map<String, Group> groups;
  private final Scene scene;
  private final PrintStream progress;

  Bench(Map<String, Group> groups, Scene scene, PrintStream progress) {
    this.groups = groups;
    this.scene = scene;
    this.progress = progress;
  }

  Report run(List<String> names) {
    Machine machine = Machine.here();
    List<Row> rows = new ArrayList<>();
    List<String> failures = new ArrayList<>();
    for (String name : names) {
      progress.println("measuring " + name);
      try {
        rows.addAll(java.util.Objects.requireNonNull(groups.get(name)).measure(scene));
      } catch (Exception e) {
        failures.add(name + ": " + e);
      }
    }
    return new Report(machine, rows, failures);
  }
}
