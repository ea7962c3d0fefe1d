package dev.sandboxer.bench.report;

/**
 * What a figure should be.
 *
 * @param atMost true if smaller is better
 * @param value the limit, in the row's unit
 */
public record Goal(boolean atMost, double value) {

  /** At most this much. */
  public static Goal atMost(double value) {
    return new Goal(true, value);
  }

  /** At least this much. */
  public static Goal atLeast(double value) {
    return new Goal(false, value);
  }

  /** Whether a figure is within it. */
  public boolean reachedBy(double figure) {
    return atMost ? figure <= value : figure >= value;
  }

  String text() {
    return (atMost ? "<= " : ">= ") + Table.figure(value);
  }
}
