package dev.sandboxer.bench.report;

import com.nimbusds.jose.util.JSONObjectUtils;
import java.util.LinkedHashMap;
import java.util.Map;

/** A report for a program. */
public final class Json {

  private Json() {}

  /** The whole report as one JSON object in one line. */
  public static String of(Report report) {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("machine", report.machine().fields());
    all.put("rows", report.rows().stream().map(Json::fields).toList());
    all.put("failures", report.failures());
    return JSONObjectUtils.toJSONString(all) + "\n";
  }

  private static Map<String, Object> fields(Row row) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("id", row.id());
    fields.put("title", row.title());
    fields.put("unit", row.unit());
    fields.put("samples", row.samples());
    fields.put("p50", row.p50());
    put(fields, "p95", row.p95());
    put(fields, "p99", row.p99());
    Ratio ratio = row.ratio();
    if (ratio != null) {
      fields.put("floor", ratio.floor());
      fields.put("ratio", ratio.value());
    }
    Goal goal = row.goal();
    if (goal != null) {
      fields.put("goal", Map.of(goal.atMost() ? "at_most" : "at_least", goal.value()));
      fields.put("reached", row.reached());
    }
    return fields;
  }

  private static void put(
      Map<String, Object> fields, String name, @org.jspecify.annotations.Nullable Object value) {
    if (value != null) {
      fields.put(name, value);
    }
  }
}
