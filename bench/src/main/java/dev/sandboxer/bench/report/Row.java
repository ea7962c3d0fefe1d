package dev.sandboxer.bench.report;

import dev.sandboxer.bench.measure.Samples;
import org.jspecify.annotations.Nullable;

/**
 * One measured figure.
 *
 * @param id stable name, for comparing runs
 * @param title what it is, in words
 * @param unit of all figures
 * @param p95 null with fewer than 20 samples
 * @param p99 null with fewer than 100 samples
 * @param goal judged by p50
 */
public record Row(
    String id,
    String title,
    String unit,
    int samples,
    double p50,
    @Nullable Double p95,
    @Nullable Double p99,
    @Nullable Ratio ratio,
    @Nullable Goal goal) {

  private static final int ENOUGH_FOR_P95 = 20;
  private static final int ENOUGH_FOR_P99 = 100;

  /** A row of its samples, without a floor and a goal. */
  public static Row of(String id, String title, String unit, Samples samples) {
    int count = samples.count();
    return new Row(
        id,
        title,
        unit,
        count,
        samples.p50(),
        count < ENOUGH_FOR_P95 ? null : samples.percentile(95),
        count < ENOUGH_FOR_P99 ? null : samples.percentile(99),
        null,
        null);
  }

  /** A row of one figure that was derived or read, not sampled. */
  public static Row single(String id, String title, String unit, double value) {
    return new Row(id, title, unit, 1, value, null, null, null, null);
  }

  /** How many times another row's figure one is. */
  public static Row ratio(String id, String title, Row ours, Row floor) {
    return single(id, title, "x", ours.p50 / floor.p50);
  }

  /** This row beside its floor. */
  public Row over(Row floor) {
    Ratio beside = new Ratio(p50 / floor.p50, floor.id);
    return new Row(id, title, unit, samples, p50, p95, p99, beside, goal);
  }

  /** This row with what it should reach. */
  public Row within(Goal wanted) {
    return new Row(id, title, unit, samples, p50, p95, p99, ratio, wanted);
  }

  /** Whether the goal is reached; true without one. */
  public boolean reached() {
    return goal == null || goal.reachedBy(p50);
  }
}
